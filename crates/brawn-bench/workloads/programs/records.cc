// A parser that throws: one record in seven has a field that the schema refuses, some calls down, and is counted by
// what was wrong with it.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

class BadRecord : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

struct Record {
    long id = 0, size = 0;
    std::string name;
    double value = 0;
};

class Parser {
  public:
    explicit Parser(std::string line) : line_(std::move(line)) {
    }

    Record record() {
        Record record;
        record.id = whole("id", 120000);
        record.name = field("name");
        record.value = decimal("value", 10000);
        record.size = whole("size", 3900000);
        return record;
    }

  private:
    std::string field(const std::string &what) {
        if (at_ > line_.size())
            throw BadRecord("no " + what);
        size_t end = line_.find(',', at_);
        std::string text = line_.substr(at_, end == std::string::npos ? end : end - at_);
        at_ = end == std::string::npos ? line_.size() + 1 : end + 1;
        return text;
    }

    long whole(const std::string &what, long limit) {
        std::string text = field(what);
        size_t used = 0;
        long number = std::stol(text, &used);
        check(what, used == text.size(), number < limit);
        return number;
    }

    double decimal(const std::string &what, double limit) {
        std::string text = field(what);
        size_t used = 0;
        double number = std::stod(text, &used);
        check(what, used == text.size(), number < limit);
        return number;
    }

    static void check(const std::string &what, bool whole, bool within) {
        if (!whole)
            throw BadRecord(what + " is no number");
        if (!within)
            throw BadRecord(what + " is too large");
    }

    std::string line_;
    size_t at_ = 0;
};

// What the line was worth, or the library's own exception where a number was wanted.
double worth(const std::string &line, std::map<std::string, int> &names) {
    Record record = Parser(line).record();
    if (record.id % 50 == 0)
        record.size += std::stol(record.name);
    names[record.name]++;
    return record.value + static_cast<double>(record.size);
}

} // namespace

int main(int argc, char **argv) {
    FILE *file = argc == 2 ? fopen(argv[1], "r") : nullptr;
    if (!file)
        return 2;
    std::map<std::string, int> names, refused;
    char *line = nullptr;
    size_t room = 0;
    double sum = 0;
    for (int pass = 0; pass < 4; pass++) {
        rewind(file);
        for (ssize_t length; (length = getline(&line, &room, file)) > 0;) {
            try {
                sum += worth(std::string(line, static_cast<size_t>(length) - 1), names);
            } catch (const BadRecord &error) {
                refused[error.what()]++;
            } catch (const std::invalid_argument &) {
                refused["a name for a number"]++;
            }
        }
    }
    fclose(file);
    free(line);
    for (const auto &[what, count] : refused)
        printf("%d %s\n", count, what.c_str());
    printf("%zu names, %.6f\n", names.size(), sum);
    return 0;
}
