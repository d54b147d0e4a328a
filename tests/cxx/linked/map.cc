#include <map>
#include <sstream>
#include <stdexcept>
#include <string>

// Streams call what nothing else here calls in the C library: `newlocale`, `strtod_l`.
static std::string name(int number) {
    std::ostringstream stream;
    stream << number;
    return stream.str();
}

extern "C" int entries(int count) {
    std::map<std::string, int> map;
    for (int i = 0; i < count; i++)
        map[name(i)] = i;
    try {
        return map.at("no such key");
    } catch (const std::out_of_range &) {
        return static_cast<int>(map.size());
    }
}
