//! Takes a process into its root, between `fork` and `exec`.

use std::ffi::{CStr, CString};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use nix::errno::Errno;
use nix::fcntl::{OFlag, open};
use nix::mount::{MntFlags, MsFlags, mount, umount2};
use nix::sched::{CloneFlags, unshare};
use nix::sys::ptrace;
use nix::sys::stat::Mode;
use nix::unistd::{Gid, Uid, chdir, chroot, getegid, geteuid, pivot_root, setgid, setgroups, setuid, write};

use crate::root::{DEVICES, KERNEL_FOLDERS, Root};

brawn_base::worded! {
    /// How a process gets a root of its own, the fullest first.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum How {
        /// As root: a mount namespace.
        Mounts = "a mount namespace",
        /// As anybody: a user namespace, and in it a mount namespace.
        User = "a user namespace",
        /// As root, where namespaces are refused: `chroot`. Nothing can be mounted there.
        Chroot = "chroot",
    }
}

impl How {
    /// What can be tried for this user.
    pub(crate) fn candidates() -> Vec<How> {
        match geteuid().is_root() {
            true => vec![How::Mounts, How::User, How::Chroot],
            false => vec![How::User],
        }
    }

    /// Whether the folders of the root belong to the program's user, because there is only this one.
    pub(crate) fn owns_the_root(self) -> bool {
        self == How::User
    }
}

brawn_base::worded! {
    /// What is done, step by step; a step's number goes to the parent when it fails.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) enum Step {
        Unshare = "make a namespace",
        MapUser = "name the user of the namespace",
        Mount = "mount the root",
        Enter = "enter the root",
        SetUser = "become the program's user",
        Trace = "be traced",
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
        let (own_user, own_group) = (geteuid(), getegid());
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
        ptrace::traceme().map_err(at(Step::Trace))
    }

    /// Goes in.
    pub fn enter_only(&self) -> Result<(), (Step, io::Error)> {
        match self.how {
            How::Mounts => unshare(CloneFlags::CLONE_NEWNS).map_err(at(Step::Unshare))?,
            How::User => {
                unshare(CloneFlags::CLONE_NEWUSER | CloneFlags::CLONE_NEWNS).map_err(at(Step::Unshare))?;
                self.map_user().map_err(at(Step::MapUser))?;
            }
            How::Chroot => chroot(self.root.as_c_str()).map_err(at(Step::Unshare))?,
        }
        if self.how != How::Chroot {
            self.mount().map_err(at(Step::Mount))?;
            self.pivot().map_err(at(Step::Enter))?;
        }
        chdir(c"/").map_err(at(Step::Enter))?;
        if self.how != How::User {
            self.become_user().map_err(at(Step::SetUser))?;
        }
        Ok(())
    }

    fn map_user(&self) -> nix::Result<()> {
        // Before the group may be named, the kernel wants to be sure that no group is dropped to gain rights.
        put(c"/proc/self/setgroups", b"deny")?;
        put(c"/proc/self/uid_map", &self.user_map)?;
        put(c"/proc/self/gid_map", &self.group_map)
    }

    fn mount(&self) -> nix::Result<()> {
        let bind = |source: Option<&CStr>, target: &CStr, flags| {
            mount(source, target, None::<&CStr>, flags, None::<&CStr>)
        };
        // What is mounted from here on must not be seen outside.
        bind(None, c"/", MsFlags::MS_REC | MsFlags::MS_PRIVATE)?;
        bind(Some(&self.root), &self.root, MsFlags::MS_BIND)?;
        for (source, target) in &self.mounts {
            // A namespace of a user's may only take a tree of mounts as a whole.
            bind(Some(source), target, MsFlags::MS_BIND | MsFlags::MS_REC)?;
        }
        Ok(())
    }

    fn pivot(&self) -> nix::Result<()> {
        chdir(self.root.as_c_str())?;
        // The old root comes to lie on the new one, and is taken off.
        pivot_root(c".", c".")?;
        umount2(c".", MntFlags::MNT_DETACH)
    }

    fn become_user(&self) -> nix::Result<()> {
        setgroups(&[])?;
        setgid(Gid::from_raw(self.group))?;
        setuid(Uid::from_raw(self.user))
    }
}

fn at(step: Step) -> impl FnOnce(Errno) -> (Step, io::Error) {
    move |error| (step, error.into())
}

/// Writes into a file of the kernel's.
fn put(path: &CStr, text: &[u8]) -> nix::Result<()> {
    let file = open(path, OFlag::O_WRONLY | OFlag::O_CLOEXEC, Mode::empty())?;
    write(file, text).map(drop)
}
