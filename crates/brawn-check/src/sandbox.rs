//! Takes a process into its root, between `fork` and `exec`.

use std::ffi::{CStr, CString};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::root::{DEVICES, KERNEL_FOLDERS, Root};

/// How a process gets a root of its own, the fullest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// As root: a mount namespace.
    Mounts,
    /// As anybody: a user namespace, and in it a mount namespace.
    User,
    /// As root, where namespaces are refused: `chroot`. Nothing can be mounted there.
    Chroot,
}

impl How {
    /// What can be tried for this user.
    pub(crate) fn candidates() -> Vec<How> {
        // SAFETY: the call only returns a number.
        match unsafe { libc::geteuid() } {
            0 => vec![How::Mounts, How::User, How::Chroot],
            _ => vec![How::User],
        }
    }

    /// In words.
    pub const fn describe(self) -> &'static str {
        match self {
            How::Mounts => "a mount namespace",
            How::User => "a user namespace",
            How::Chroot => "chroot",
        }
    }

    /// Whether the folders of the root belong to the program's user, because there is only this one.
    pub(crate) fn owns_the_root(self) -> bool {
        self == How::User
    }
}

/// What is done, step by step; a step's number goes to the parent when it fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Step {
    Unshare = 1,
    MapUser,
    Mount,
    Enter,
    SetUser,
    Trace,
}

impl Step {
    const ALL: [Step; 6] =
        [Step::Unshare, Step::MapUser, Step::Mount, Step::Enter, Step::SetUser, Step::Trace];

    pub fn from_number(number: u8) -> Option<Step> {
        Step::ALL.into_iter().find(|step| *step as u8 == number)
    }

    pub const fn describe(self) -> &'static str {
        match self {
            Step::Unshare => "make a namespace",
            Step::MapUser => "name the user of the namespace",
            Step::Mount => "mount the root",
            Step::Enter => "enter the root",
            Step::SetUser => "become the program's user",
            Step::Trace => "be traced",
        }
    }
}

/// Everything that the child needs, made before the fork: after it, nothing may be allocated.
pub(crate) struct Plan {
    how: How,
    root: CString,
    /// What is mounted where.
    mounts: Vec<(CString, CString)>,
    user_map: Vec<u8>,
    group_map: Vec<u8>,
    user: u32,
    group: u32,
}

impl Plan {
    pub fn new(how: How, root: &Root, (user, group): (u32, u32), runtime: bool) -> io::Result<Plan> {
        let text = |path: &Path| CString::new(path.as_os_str().as_bytes()).map_err(io::Error::other);
        let mut mounts = Vec::new();
        if runtime && how != How::Chroot {
            let devices = DEVICES.iter().map(|name| format!("dev/{name}"));
            for name in KERNEL_FOLDERS.iter().map(|name| (*name).to_owned()).chain(devices) {
                let source = Path::new("/").join(&name);
                if source.exists() {
                    mounts.push((text(&source)?, text(&root.path().join(&name))?));
                }
            }
        }
        // SAFETY: these calls only return numbers.
        let (own_user, own_group) = unsafe { (libc::geteuid(), libc::getegid()) };
        Ok(Plan {
            how,
            root: text(root.path())?,
            mounts,
            user_map: format!("{user} {own_user} 1\n").into_bytes(),
            group_map: format!("{group} {own_group} 1\n").into_bytes(),
            user,
            group,
        })
    }

    /// Goes in and asks to be traced. To be called in the child, which has one thread and makes system calls only.
    pub fn enter(&self) -> Result<(), (Step, io::Error)> {
        self.enter_only()?;
        nix::sys::ptrace::traceme().map_err(|error| (Step::Trace, error.into()))
    }

    /// Goes in.
    pub fn enter_only(&self) -> Result<(), (Step, io::Error)> {
        let at = |step: Step| move |error: io::Error| (step, error);
        match self.how {
            How::Mounts => unshare(libc::CLONE_NEWNS).map_err(at(Step::Unshare))?,
            How::User => {
                unshare(libc::CLONE_NEWUSER | libc::CLONE_NEWNS).map_err(at(Step::Unshare))?;
                self.map_user().map_err(at(Step::MapUser))?;
            }
            How::Chroot => {}
        }
        if self.how == How::Chroot {
            // SAFETY: the path is a text that ends in zero.
            check(unsafe { libc::chroot(self.root.as_ptr()) }).map_err(at(Step::Unshare))?;
        } else {
            self.mount().map_err(at(Step::Mount))?;
            self.pivot().map_err(at(Step::Enter))?;
        }
        // SAFETY: as above.
        check(unsafe { libc::chdir(c"/".as_ptr()) }).map_err(at(Step::Enter))?;
        if self.how != How::User {
            self.become_user().map_err(at(Step::SetUser))?;
        }
        Ok(())
    }

    fn map_user(&self) -> io::Result<()> {
        // Before the group may be named, the kernel wants to be sure that no group is dropped to gain rights.
        write(c"/proc/self/setgroups", b"deny")?;
        write(c"/proc/self/uid_map", &self.user_map)?;
        write(c"/proc/self/gid_map", &self.group_map)
    }

    fn mount(&self) -> io::Result<()> {
        // What is mounted from here on must not be seen outside.
        mount(None, c"/", libc::MS_REC | libc::MS_PRIVATE)?;
        mount(Some(&self.root), &self.root, libc::MS_BIND)?;
        for (source, target) in &self.mounts {
            // A namespace of a user's may only take a tree of mounts as a whole.
            mount(Some(source), target, libc::MS_BIND | libc::MS_REC)?;
        }
        Ok(())
    }

    fn pivot(&self) -> io::Result<()> {
        // SAFETY: all paths are texts that end in zero.
        unsafe {
            check(libc::chdir(self.root.as_ptr()))?;
            // The old root comes to lie on the new one, and is taken off.
            let moved = libc::syscall(libc::SYS_pivot_root, c".".as_ptr(), c".".as_ptr());
            check(i32::try_from(moved).unwrap_or(-1))?;
            check(libc::umount2(c".".as_ptr(), libc::MNT_DETACH))
        }
    }

    fn become_user(&self) -> io::Result<()> {
        // SAFETY: an empty list needs no memory; the rest are numbers.
        unsafe {
            check(libc::setgroups(0, std::ptr::null()))?;
            check(libc::setgid(self.group))?;
            check(libc::setuid(self.user))
        }
    }
}

fn check(result: libc::c_int) -> io::Result<()> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

fn unshare(what: libc::c_int) -> io::Result<()> {
    // SAFETY: the call takes a number.
    check(unsafe { libc::unshare(what) })
}

fn mount(source: Option<&CStr>, target: &CStr, flags: libc::c_ulong) -> io::Result<()> {
    let source = source.map_or(std::ptr::null(), CStr::as_ptr);
    // SAFETY: the texts end in zero, and bind and private mounts take neither a type nor data.
    check(unsafe { libc::mount(source, target.as_ptr(), std::ptr::null(), flags, std::ptr::null()) })
}

fn write(path: &CStr, text: &[u8]) -> io::Result<()> {
    // SAFETY: the path ends in zero, and the text is as long as is said.
    unsafe {
        let file = libc::open(path.as_ptr(), libc::O_WRONLY | libc::O_CLOEXEC);
        check(file)?;
        let written = libc::write(file, text.as_ptr().cast(), text.len());
        let result = if written < 0 { Err(io::Error::last_os_error()) } else { Ok(()) };
        libc::close(file);
        result
    }
}
