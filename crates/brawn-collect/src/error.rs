//! Why there is no answer.

use std::path::PathBuf;

use crate::kept::SCHEMA;

brawn_base::errors! {
    /// Why nothing was collected or answered.
    pub enum Error {
        from {
            /// Reading or writing failed; the message names the path.
            Io(std::io::Error),
        }

        /// The file is something else.
        #[error("{} holds no measurements of a fleet", path.display())]
        NotKept { path: PathBuf, source: serde_json::Error } => Input,
            "give the file that `brawn fleet plan` writes and `brawn fleet collect` adds to";

        /// Another version of Brawn wrote the file.
        #[error("{} has form {found}, this brawn reads form {SCHEMA}", path.display())]
        Schema { path: PathBuf, found: u32 } => Input, match *found > SCHEMA {
            true => "a newer brawn wrote it: update brawn",
            false => "an older brawn wrote it: read it with that one, or measure again",
        };

        /// The plan contradicts itself.
        #[error("the plan in {} cannot be: {what}", path.display())]
        Plan { path: PathBuf, what: String } => Input, "make it again with `brawn fleet plan`";

        /// There is nothing where logs should be.
        #[error("{} holds no log", path.display())]
        NoLogs { path: PathBuf } => Input, "give the logs of the fleet's pods: files, or a folder with them";
    }
}
