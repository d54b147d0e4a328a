//! Why a fleet was not planned, run or looked at.

use std::path::PathBuf;

use brawn_base::text::wrote;
use brawn_measure::format;

brawn_base::errors! {
    /// Why a fleet was not planned, run or looked at. Where an engine was asked to make something and refused, nothing of it is
    /// left, unless [`Error::Left`] says so.
    pub enum Error {
        from {
            /// Reading or writing failed; the message names the path.
            Io(std::io::Error),
            /// A measurement failed for a reason that is no candidate's.
            Measure(brawn_measure::Error),
            /// The same, in the runner of `tune`.
            Tune(brawn_tune::Error),
            /// The file of a fleet is none.
            Collect(brawn_collect::Error),
            /// An image could not be made or pushed.
            Image(brawn_image::Error),
        }

        /// There is no such file.
        #[error("there is no {}", path.display())]
        NoSpec { path: PathBuf } => Io, "`brawn fleet plan` writes one";

        /// What the file says has no meaning.
        #[error("{}{}: {what}", path.display(), line.map(|line| format!(":{line}")).unwrap_or_default())]
        Spec { path: PathBuf, line: Option<usize>, what: String, hint: Option<String> } => Usage, hint;

        /// A size, time or signal that the file's reader should have refused.
        #[error("not {what}")]
        Units { what: String } => Usage;

        /// What a block was given is no task.
        #[error("{place} is no task of a fleet")]
        Task { place: String, source: serde_json::Error } => Input, "`brawn fleet run` makes it: this command is not called by hand";

        /// An executable is not the one that was planned.
        #[error("{} is not the executable that was planned", path.display())]
        Changed { path: PathBuf } => Input, "the copy is damaged, or the image is another one: run the fleet anew";

        /// More cores than there are.
        #[error("the pool '{pool}' asks for {wanted} cores, and a machine of it has {there}")]
        Cores { pool: String, wanted: f64, there: f64 } => Usage, "say fewer cores in fleet.toml";

        /// More memory than there is.
        #[error("the pool '{pool}' asks for {} of memory, and no node of it has more than {}", format::bytes(*wanted as f64),
            format::bytes(*there as f64))]
        Memory { pool: String, wanted: u64, there: u64 } => Usage, "say less memory in fleet.toml, or take other nodes";

        /// The reference cannot do the work at all.
        #[error("`{name}` does not do the work on this machine: {reason}")]
        Rehearsal { name: String, reason: String } => Failed,
            "nothing was created; run it by hand with the arguments of fleet.toml, or leave the rehearsal out with --no-rehearsal";

        /// The limit is below what the reference needs.
        #[error("`{name}` does not even here stay within {}", format::bytes(*limit as f64))]
        BelowStart { name: String, limit: u64 } => NoAnswer,
            "nothing was created; raise memory in fleet.toml beyond what the program needs";

        /// Brawn itself must run in an image without libraries.
        #[error("{} is not static, and it has to run on machines that lack its libraries", path.display())]
        BrawnDynamic { path: PathBuf } => Input,
            "say brawn = \"PATH\" in fleet.toml, with the static executable of a release";

        /// A candidate or Brawn is not there for an architecture that others are for, or twice for one.
        #[error("{name} has {count} executables for {arch}, and needs one")]
        Architectures { name: String, arch: String, count: usize } => Input,
            "give every candidate, and brawn, one executable for each architecture: executable = [\"PATH\", \"PATH\"], brawn = [\"PATH\", \"PATH\"]";

        /// Where nodes are not listed, no one knows which executables run there.
        #[error("the executables are for both architectures, and which one the pool '{pool}' has is not known")]
        WhichArchitecture { pool: String } => Usage,
            "on Kubernetes add kubernetes.io/arch to its selector, or ask for the right to list nodes; otherwise make a fleet for each";

        /// A program that the engine is spoken to with is not there.
        #[error("there is no `{tool}` on this machine")]
        NoTool { tool: String } => Missing, format!("install it, or put it on PATH: brawn speaks to the engine through the user's own {tool}");

        /// kubectl knows no cluster.
        #[error("kubectl knows no cluster to speak to: {said}")]
        NoContext { said: String } => Input, "say which with `kubectl config use-context NAME`, or context = \"NAME\" in fleet.toml";

        /// The user's rights do not suffice.
        #[error("the cluster forbids it: {rule}")]
        Forbidden { rule: String } => Cluster,
            "ask for that right in the namespace: a fleet creates, lists and deletes jobs, lists nodes and pods, and reads logs";

        /// A quota is used up.
        #[error("the quota does not allow it: {said}")]
        Quota { said: String } => Cluster, "ask for fewer cores, less memory or less parallelism in fleet.toml";

        /// Nodes do not get the image.
        #[error("no node can pull {image}{}", wrote(said))]
        Unpulled { image: String, said: String } => Registry,
            "nothing is left of the fleet; nodes must reach the registry by that name, with pull-secrets in fleet.toml if it wants a login";

        /// It refused, or could not be reached.
        #[error("{tool} failed{}", wrote(.said))]
        Engine { tool: String, said: String } => Cluster;

        /// It answered with something else than was asked for.
        #[error("{tool} answered with something else than was asked for")]
        Answer { tool: String, source: serde_json::Error } => Cluster;

        /// No node has the label.
        #[error("no node of the cluster has the label '{label}'")]
        NoLabel { label: String, hint: String } => Usage, hint;

        /// A pool without nodes.
        #[error("no node is in the pool '{pool}': {why}")]
        NoNodes { pool: String, why: String } => Usage,
            "`kubectl get nodes --show-labels` lists the labels; `brawn fleet plan --by LABEL` the values of one";

        /// There is no such fleet.
        #[error("there is no fleet '{id}' here")]
        NoFleet { id: String } => Input, "its name stands in the file that `brawn fleet run` wrote; it may be deleted already";

        /// What was made could not be taken back.
        #[error("{failed}; and what was created until then could not be deleted: {said}")]
        Left { failed: String, said: String, folder: PathBuf } => Cluster, format!("`brawn fleet delete {}` deletes it", folder.display());
    }
}

impl Error {
    /// For `map_err` of the readers of units.
    pub(crate) fn units(what: String) -> Self {
        Self::Units { what }
    }
}
