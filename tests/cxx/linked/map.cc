#include <map>
#include <stdexcept>
#include <string>

extern "C" int entries(int count) {
    std::map<std::string, int> map;
    for (int i = 0; i < count; i++)
        map[std::to_string(i)] = i;
    try {
        return map.at("no such key");
    } catch (const std::out_of_range &) {
        return static_cast<int>(map.size());
    }
}
