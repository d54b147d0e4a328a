//! The linker seam: compiler and linker drivers, recorded links and their replay
