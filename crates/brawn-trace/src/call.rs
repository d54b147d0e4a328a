//! What a stop at a system call is about.

use nix::unistd::Pid;

/// `ptrace` request that tells it, on every architecture alike (Linux 5.3).
const GET_SYSCALL_INFO: libc::c_uint = 0x420e;

/// What that request fills in: a kind, then from this offset on numbers of 8 bytes.
const NUMBERS_AT: usize = 24;

/// Where a thread stands that was stopped at a system call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// It is about to make the call with this number and these arguments.
    Enter(libc::c_long, [u64; 6]),
    /// The call gave it this: an `errno`, negated, when it is between -4095 and -1.
    Leave(i64),
}

/// What the stop of this thread is about; none when it is no stop at a call, or the thread is gone.
pub fn call(thread: Pid) -> Option<Call> {
    let mut information = [0u8; 88];
    // SAFETY: the kernel writes at most as many bytes as it is told there are.
    let length = unsafe {
        libc::ptrace(GET_SYSCALL_INFO as _, thread.as_raw(), information.len(), information.as_mut_ptr())
    };
    let length = usize::try_from(length).ok()?;
    let number = |index: usize| -> Option<u64> {
        let at = NUMBERS_AT + 8 * index;
        let bytes = information.get(at..at + 8).filter(|_| length >= at + 8)?;
        Some(u64::from_ne_bytes(bytes.try_into().ok()?))
    };
    match information[0] {
        1 => {
            let mut arguments = [0; 6];
            for (index, argument) in arguments.iter_mut().enumerate() {
                *argument = number(index + 1)?;
            }
            Some(Call::Enter(libc::c_long::try_from(number(0)?).ok()?, arguments))
        }
        2 => Some(Call::Leave(number(0)?.cast_signed())),
        _ => None,
    }
}
