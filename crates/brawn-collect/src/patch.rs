//! The change that an answer asks for, as a strategic merge patch for a Deployment, StatefulSet or DaemonSet. It is printed,
//! never applied.

use serde_json::{Value, json};

use crate::Error;
use crate::answer::Answer;
use crate::plan::Plan;

/// The patch for one pool's workload, or, without a pool, for the one that runs on all.
///
/// # Errors
/// [`Error`]: there is no such pool, no answer, nothing to change, or no image.
pub fn patch(plan: &Plan, answer: &Answer, pool: Option<&str>, container: &str) -> Result<Value, Error> {
    let pick = match pool {
        Some(name) => {
            let known = || answer.pools.iter().map(|pool| pool.name.clone()).collect();
            let pool = answer.pools.iter().find(|pool| pool.name == name);
            let pool = pool.ok_or_else(|| Error::NoPool { name: name.to_owned(), known: known() })?;
            pool.pick.as_deref()
        }
        None if answer.pools.len() == 1 => answer.pools[0].pick.as_deref(),
        None => answer.overall.as_ref().map(|overall| overall.pick.as_str()),
    };
    let whose = pool.unwrap_or("all pools").to_owned();
    let pick =
        pick.and_then(|name| plan.candidate(name)).ok_or_else(|| Error::NoPick { whose: whose.clone() })?;
    if pick.name == plan.reference {
        return Err(Error::NoChange { whose, reference: plan.reference.clone() });
    }
    let image = plan.image.as_ref().ok_or(Error::NoImage)?;
    let set = pick.knobs.iter().map(|(name, value)| json!({ "name": name, "value": value }));
    // What the pick does not have shall not stay behind.
    let before = plan.candidate(&plan.reference).into_iter().flat_map(|now| now.knobs.keys());
    let gone = before.filter(|name| !pick.knobs.contains_key(*name));
    let gone = gone.map(|name| json!({ "name": name, "$patch": "delete" }));
    let env: Vec<Value> = set.chain(gone).collect();
    let mut container = json!({ "name": container, "image": image, "command": [pick.image_path] });
    if !env.is_empty() {
        container["env"] = env.into();
    }
    Ok(json!({ "spec": { "template": { "spec": { "containers": [container] } } } }))
}
