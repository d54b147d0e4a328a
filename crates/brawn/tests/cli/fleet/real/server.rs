//! Kubernetes' own programs, in a folder and on ports of the test's.

use std::net::{TcpListener, TcpStream};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::json;

use super::api::Api;
use crate::common::{Sandbox, ok};
use crate::release::repository;

/// How long a program of Kubernetes may take until it answers.
const PATIENCE: Duration = Duration::from_secs(120);

/// A process that ends with its owner.
pub struct Running(Child);

impl Running {
    /// Starts it; what it prints goes to a file.
    pub fn start(command: &mut Command, log: &Path) -> Self {
        let file = fs_err::File::create(log).unwrap().into_file();
        // Also when this test is killed.
        // SAFETY: one system call between fork and exec.
        unsafe {
            command.pre_exec(|| match libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) {
                0 => Ok(()),
                _ => Err(std::io::Error::last_os_error()),
            });
        }
        Self(command.stdout(file.try_clone().unwrap()).stderr(file).spawn().unwrap())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A control plane. Its user `admin` may do anything, and `dev` nothing but what roles say.
pub struct Server {
    pub folder: PathBuf,
    programs: PathBuf,
    port: u16,
    etcd: u16,
    api_server: Option<Running>,
    /// In the order in which they end.
    others: Vec<Running>,
    pub api: Api,
}

pub fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// Waits until something is there.
pub fn until<T>(what: &str, limit: Duration, mut there: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(value) = there() {
            return value;
        }
        assert!(begun.elapsed() < limit, "{what}: not within {limit:?}");
        sleep(Duration::from_millis(100));
    }
}

impl Server {
    /// Builds Kubernetes where that is not done yet, and starts it.
    pub fn start(sandbox: &Sandbox) -> Server {
        let programs = PathBuf::from(ok(&mut Command::new(repository().join("scripts/kubernetes"))).trim());
        let folder = sandbox.path().join("kubernetes");
        fs_err::create_dir(&folder).unwrap();
        ok(Command::new("openssl").args(["genrsa", "-out"]).arg(folder.join("accounts.pem")));
        fs_err::write(folder.join("tokens"), "admin,admin,1,\"system:masters\"\ndev,dev,2\n").unwrap();
        let (etcd, port, proxy) = (free_port(), free_port(), free_port());
        let urls = |port: u16| format!("http://127.0.0.1:{port}");
        let mut database = Command::new("etcd");
        database.arg("--data-dir").arg(folder.join("etcd")).args(["--unsafe-no-fsync", "--log-level=error"]);
        database.args(["--listen-client-urls", &urls(etcd), "--advertise-client-urls", &urls(etcd)]);
        database.args(["--listen-peer-urls", &urls(free_port())]);
        let database = Running::start(&mut database, &folder.join("etcd.log"));
        until("etcd", PATIENCE, || TcpStream::connect(("127.0.0.1", etcd)).ok());
        let api = Api::new(format!("http://127.0.0.1:{proxy}"));
        let mut server = Server { folder, programs, port, etcd, api_server: None, others: Vec::new(), api };
        for user in ["admin", "dev"] {
            fs_err::write(server.config(user), server.config_of(user)).unwrap();
        }
        server.start_api();
        let mut others = Vec::new();
        let accounts =
            format!("--service-account-private-key-file={}", server.folder.join("accounts.pem").display());
        for (name, args) in [
            ("kubectl", vec!["proxy".to_owned(), format!("--port={proxy}")]),
            (
                "kube-controller-manager",
                vec!["--leader-elect=false".to_owned(), "--secure-port=0".into(), accounts],
            ),
            ("kube-scheduler", vec!["--leader-elect=false".to_owned(), "--secure-port=0".into()]),
        ] {
            let mut command = Command::new(server.programs.join(name));
            command.args(args).arg(format!("--kubeconfig={}", server.config("admin").display()));
            others.push(Running::start(&mut command, &server.folder.join(format!("{name}.log"))));
        }
        others.push(database);
        server.others = others;
        until("the API server", PATIENCE, || server.api.get("/readyz"));
        server
    }

    /// The API server is there again, with what it has had.
    pub fn come_back(&mut self) {
        self.start_api();
        until("the API server", PATIENCE, || self.api.get("/readyz"));
    }

    fn start_api(&mut self) {
        let at = |name: &str| self.folder.join(name).display().to_string();
        let mut command = Command::new(self.programs.join("kube-apiserver"));
        command.args([
            format!("--etcd-servers=http://127.0.0.1:{}", self.etcd),
            format!("--secure-port={}", self.port),
            "--bind-address=127.0.0.1".into(),
            format!("--cert-dir={}", at("certificates")),
            format!("--service-account-key-file={}", at("accounts.pem")),
            format!("--service-account-signing-key-file={}", at("accounts.pem")),
            "--service-account-issuer=https://brawn.test".into(),
            format!("--token-auth-file={}", at("tokens")),
            "--authorization-mode=RBAC".into(),
            "--service-cluster-ip-range=10.0.0.0/24".into(),
        ]);
        self.api_server = Some(Running::start(&mut command, &self.folder.join("kube-apiserver.log")));
        until("the API server", PATIENCE, || TcpStream::connect(("127.0.0.1", self.port)).ok());
    }

    /// The API server is gone, as with a fault of its machine.
    pub fn go_away(&mut self) {
        self.api_server = None;
    }

    /// The folder with `kubectl`.
    pub fn programs(&self) -> &Path {
        &self.programs
    }

    /// How a user reaches it.
    pub fn config(&self, user: &str) -> PathBuf {
        self.folder.join(format!("{user}.config"))
    }

    fn config_of(&self, user: &str) -> String {
        let cluster =
            json!({ "server": format!("https://127.0.0.1:{}", self.port), "insecure-skip-tls-verify": true });
        json!({
            "apiVersion": "v1", "kind": "Config", "current-context": "test",
            "clusters": [{ "name": "test", "cluster": cluster }],
            "users": [{ "name": user, "user": { "token": user } }],
            "contexts": [{ "name": "test", "context": { "cluster": "test", "user": user } }],
        })
        .to_string()
    }
}
