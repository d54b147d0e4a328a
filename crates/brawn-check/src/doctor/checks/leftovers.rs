//! Is everything that a program leaves behind sure to be ended?

use crate::doctor::Finding;

pub(super) fn look() -> Finding {
    match brawn_trace::can_group() {
        Ok(()) => Finding::good("ended by control groups"),
        Err(error) => {
            let cost =
                "processes that fork without end outlive `brawn check`, `brawn bench` and `brawn tune`";
            let hint = "run it as root, or: systemd-run --user --scope -p Delegate=yes brawn …";
            Finding::limited(format!("looked for one by one, without a control group: {error}"), cost, hint)
        }
    }
}
