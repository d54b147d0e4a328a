//! From the links and runs below cargo to the `brawn cargo` above it.
//!
//! rustc shows nothing of what a linker says, and tools like nextest keep what a test says to themselves. So the seam and
//! the [runner](crate::runner) tell the `brawn cargo` that started it all, over a socket, which executable it is about;
//! that one looks at it and speaks. The socket has no file: its name is in an environment variable.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::{Error, vars};

/// Something happened to an executable.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Message {
    /// The executable.
    pub path: PathBuf,
    /// The target for which it is about to run, or none if it was linked.
    pub runs_for: Option<String>,
}

/// What the one above has to say to it.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Answer {
    /// Whether it may run.
    pub refused: bool,
    /// The words of the command to run it with, such as an emulator.
    pub with: Vec<String>,
}

/// The end above.
pub(crate) struct Listener {
    name: String,
    socket: UnixListener,
}

impl Listener {
    pub(crate) fn new() -> Result<Listener, Error> {
        let random = || RandomState::new().build_hasher().finish();
        let name = format!("brawn-{:016x}{:016x}", random(), random());
        let socket = UnixListener::bind_addr(&SocketAddr::from_abstract_name(&name)?)?;
        Ok(Listener { name, socket })
    }

    /// The value of [`vars::SOCKET`] for those below.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Answers until [`Listener::stop`].
    pub(crate) fn serve(&self, mut answer: impl FnMut(Message) -> Answer) {
        while let Ok((mut stream, _)) = self.socket.accept() {
            let mut text = Vec::new();
            if stream.read_to_end(&mut text).is_err() {
                continue;
            }
            if text.is_empty() {
                return;
            }
            let Ok(message) = serde_json::from_slice(&text) else { continue };
            let reply = serde_json::to_vec(&answer(message)).expect("an answer has only string keys");
            // One that was killed meanwhile waits for no answer.
            let _ = stream.write_all(&reply);
        }
    }

    /// Ends [`Listener::serve`], by a message without a word.
    pub(crate) fn stop(&self) {
        let _ =
            SocketAddr::from_abstract_name(&self.name).and_then(|address| UnixStream::connect_addr(&address));
    }
}

/// Tells the `brawn cargo` above, and gives its answer: none when there is none above.
pub(crate) fn tell(message: &Message) -> Option<Answer> {
    let name = vars::get(vars::SOCKET)?;
    let exchange = || -> std::io::Result<Vec<u8>> {
        let mut stream = UnixStream::connect_addr(&SocketAddr::from_abstract_name(name)?)?;
        stream.write_all(&serde_json::to_vec(message)?)?;
        stream.shutdown(Shutdown::Write)?;
        let mut reply = Vec::new();
        stream.read_to_end(&mut reply)?;
        Ok(reply)
    };
    // The one above may have been killed: what is below goes on without it.
    serde_json::from_slice(&exchange().ok()?).ok()
}
