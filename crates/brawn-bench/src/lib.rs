//! Runs variants of a program side by side and measures time, CPU and memory
