//! Can a program get a root of its own?

use crate::How;

use super::machine::kernel_setting;
use crate::doctor::Finding;

pub(super) fn look() -> Finding {
    let ways = crate::ways();
    let works = |wanted: How| ways.iter().any(|(how, result)| *how == wanted && result.is_ok());
    if works(How::User) {
        return Finding::good("every user can have a root of its own");
    }
    let reason = ways.iter().find(|(how, _)| *how == How::User).and_then(|(_, result)| result.as_ref().err());
    let reason = reason.map_or_else(|| "not tried".to_owned(), ToString::to_string);
    let set = |name: &str, value: i64| kernel_setting(name) == Some(value);
    let hint = if set("user.max_user_namespaces", 0) {
        "sysctl user.max_user_namespaces=15000"
    } else if set("kernel.unprivileged_userns_clone", 0) {
        "sysctl kernel.unprivileged_userns_clone=1"
    } else if set("kernel.apparmor_restrict_unprivileged_userns", 1) {
        "sysctl kernel.apparmor_restrict_unprivileged_userns=0"
    } else {
        "in a container: --security-opt seccomp=unconfined"
    };
    let found = format!("refused: {reason}");
    if works(How::Mounts) || works(How::Chroot) {
        let cost = "`brawn check` can run programs as root only";
        return Finding::limited(found, cost, hint);
    }
    Finding::missing(found, "`brawn check` only looks at the file", hint)
}
