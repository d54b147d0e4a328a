// Counts the words of the files that are named, each in a thread of its own. A file that cannot be read is an
// exception of its thread, which the main thread reports.
#include <algorithm>
#include <fstream>
#include <future>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

using Counts = std::map<std::string, int>;

static Counts count(const std::string &path) {
    std::ifstream file(path);
    if (!file)
        throw std::runtime_error("cannot read " + path);
    Counts counts;
    for (std::string word; file >> word;)
        counts[word]++;
    return counts;
}

int main(int argc, char **argv) {
    std::vector<std::future<Counts>> files;
    for (int i = 1; i < argc; i++)
        files.push_back(std::async(std::launch::async, count, std::string(argv[i])));
    Counts all;
    int status = 0;
    for (auto &file : files) {
        try {
            for (const auto &[word, times] : file.get())
                all[word] += times;
        } catch (const std::exception &error) {
            std::cerr << "error: " << error.what() << '\n';
            status = 1;
        }
    }
    std::vector<std::pair<int, std::string>> ranked;
    for (const auto &[word, times] : all)
        ranked.emplace_back(-times, word);
    std::sort(ranked.begin(), ranked.end());
    ranked.resize(std::min<std::size_t>(ranked.size(), 3));
    for (const auto &[times, word] : ranked)
        std::cout << word << ' ' << -times << '\n';
    return status;
}
