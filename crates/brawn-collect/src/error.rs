//! Why there is no answer.

use std::path::PathBuf;

use brawn_base::text::shown;

use crate::plan::SCHEMA;

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
            "give the folder that `brawn fleet run` made, or the file fleet.json in it";

        /// Another version of Brawn wrote the file.
        #[error("{} has form {found}, this brawn reads form {SCHEMA}", path.display())]
        Schema { path: PathBuf, found: u32 } => Input, match *found > SCHEMA {
            true => "a newer brawn wrote it: update brawn",
            false => "an older brawn wrote it: read it with that one, or measure again",
        };

        /// The plan contradicts itself.
        #[error("the plan in {} cannot be: {what}", path.display())]
        Plan { path: PathBuf, what: String } => Input, "`brawn fleet run` writes it: was it edited?";

        /// A price list that is none, or not of this fleet.
        #[error("{} is no price list of this fleet: {what}", path.display())]
        Prices { path: PathBuf, what: String } => Input,
            "it has `currency`, and for each pool `[pools.NAME]` with gib_hour and core_hour, or with node_hour, nodes and filled_by \
             (\"memory\" or \"cores\")";

        /// No pool is called so.
        #[error("the fleet has no pool `{name}`")]
        NoPool { name: String, known: Vec<String> } => Usage, brawn_base::names::nearest_or_all(name, known);

        /// There is no answer that could be applied.
        #[error("there is no answer for {whose}")]
        NoPick { whose: String } => NoAnswer, "`brawn fleet report` without --apply says why";

        /// The answer is that nothing is to be changed.
        #[error("nothing is to be changed on {whose}: `{reference}`, which is used now, stays")]
        NoChange { whose: String, reference: String } => NoAnswer;

        /// The fleet was measured without containers.
        #[error("the plan has no image")]
        NoImage => Usage, "only what was measured from an image can be applied to a workload";

        /// What should be an answer of Prometheus is something else.
        #[error("{place} is no answer of Prometheus to a range query: {what}")]
        NotPrometheus { place: String, what: String } => Input, "give what /api/v1/query_range answered";

        /// Prometheus answered with an error, or not at all.
        #[error("{place}: Prometheus refused: {what}")]
        Refused { place: String, what: String } => Cluster,
            "is the address right (`kubectl port-forward` makes one), the query one that Prometheus knows, and the token good?";

        /// An address that is none.
        #[error("{} is no URL: {what}", shown(url))]
        NoUrl { url: String, what: String } => Usage,
            "give an address such as https://prometheus.example, or http://127.0.0.1:9090 of a `kubectl port-forward`";

        /// Everyone on the way could read the token.
        #[error("the token would be sent to {url} without encryption")]
        Unencrypted { url: String } => Usage, "give an address that begins with https://, or one of this machine";

        /// A query that nothing answers to.
        #[error("{place} has no figures")]
        NoSeries { place: String } => Input, "were the pods there at that time, and is the query right?";

        /// A query that several series answer to.
        #[error("{place} has {count} series, and not one")]
        ManySeries { place: String, count: usize } => Input, "put `avg(…)`, `sum(…)` or `max(…)` around the query";

        /// Baseline and candidate were not measured at the same moments.
        #[error("`{metric}` is of different times: the baseline of {baseline}, the candidate of {candidate}")]
        OtherTimes { metric: String, baseline: String, candidate: String } => Input,
            "ask for both with the same start, end and step";

        /// There is too little to judge by.
        #[error("`{metric}` has {moments} moments with a figure of both; it takes {needed}")]
        TooShort { metric: String, moments: usize, needed: usize } => NoAnswer,
            "wait longer, or ask for a smaller step";

        /// A file that describes no canary.
        #[error("{} describes no canary: {what}", path.display())]
        Canary { path: PathBuf, what: String } => Input,
            "it has name, baseline, candidate (images by digest), container, minutes, and under [metrics] queries with $replicaset";

        /// A workload without the container that is to be replaced.
        #[error("the workload has no container `{container}`")]
        Workload { container: String, names: String } => Input, match names.is_empty() {
            true => "give what `kubectl get deployment NAME -o json` prints".to_owned(),
            false => format!("it has: {names}"),
        };

        /// There is nothing where logs should be.
        #[error("{} holds no log", path.display())]
        NoLogs { path: PathBuf } => Input, "give the logs of the fleet's pods: files, or a folder with them";
    }
}
