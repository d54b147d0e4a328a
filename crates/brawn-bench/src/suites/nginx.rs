//! A web server under the load of wrk.

use std::path::{Path, PathBuf};
use std::time::Duration;

use brawn_measure::service::{Signal, free_port};
use brawn_measure::{Ready, Service, Variant};

use super::server;
use crate::workshop::{Made, Origin, Source};
use crate::{Case, Context, Error, Figure, Prepared, RowSpec, Suite, published};

const VERSION: &str = "1.22.1";

const SOURCE: Source = Source {
    file: "nginx_1.22.1.orig.tar.gz",
    sha256: "9ebb333a9e82b952acd3e2b4aeb1d4ff6406f72491bab6cd9fe69f0dea737f31",
    origin: Origin::Debian("nginx"),
};

/// Debian's musl headers come without this one, which nginx includes whether it uses it or not. A compiler that has its
/// own takes that.
const CRYPT: (&str, &str) = (
    "crypt.h",
    "struct crypt_data { int initialized; char state[256]; };\n\
     char *crypt(const char *, const char *);\n\
     char *crypt_r(const char *, const char *, struct crypt_data *);\n",
);

/// Without the modules that need other libraries, and those that a server of files has no use for.
const CONFIGURE: &[&str] = &[
    "./configure",
    "--prefix=/nginx",
    "--with-cc={cc}",
    "--with-cc-opt=-O2 -g0 -w -idirafter {folder}",
    "--without-pcre",
    "--without-http_rewrite_module",
    "--without-http_gzip_module",
    "--without-http_auth_basic_module",
    "--without-http_proxy_module",
    "--without-http_fastcgi_module",
    "--without-http_uwsgi_module",
    "--without-http_scgi_module",
    "--without-http_grpc_module",
    "--without-http_memcached_module",
];

const MADE: Made<'_> = Made {
    name: "nginx",
    source: &SOURCE,
    commands: &[CONFIGURE, &["make", "-j{jobs}"]],
    files: &[CRYPT],
    executable: "objs/nginx",
};

const CONNECTIONS: &[usize] = &[1, 20, 100, 200, 500, 1000];
/// The page's size, that of nginx's own first page, in bytes.
const PAGE: usize = 612;
/// Seconds of load in a run; wrk takes whole ones.
const LOAD: &str = "1";

/// `nginx`
pub const SUITE: Suite = Suite {
    name: "nginx",
    title: "nginx",
    about: "nginx serves a page of 612 bytes to wrk over connections that stay open: requests per second, peak memory, and \
         memory a second after the load. One process serves, so that there is one to be measured; wrk runs with half of \
         the cores. The page is compared before and after, and an answer that is not the page's ends the run. After Alpaquita.",
    needs: "wrk, make, a C compiler for glibc and one for musl, and Debian's source of nginx 1.22.1",
    check: |workshop| {
        wrk()?;
        server::c_compilers(workshop)
    },
    prepare,
    ..Suite::PLAIN
};

fn prepare(context: &Context<'_>) -> Result<Prepared, Error> {
    let mut prepared = Prepared::default();
    if context.options.quick {
        return Ok(prepared);
    }
    let (wrk, client) = (wrk()?, server::client(context.workshop)?);
    let programs = context.workshop.made(&MADE, context.flavours)?;
    prepared.note_missing(&programs);
    prepared.versions.insert("nginx".into(), VERSION.into());
    let port = free_port()?;
    let site = site(&context.workshop.root().join("sites/nginx"), port)?;
    // More than one run needs, and as many as a machine allows: with 1,000 connections wrk needs more than 1,024 files.
    let limit = "ulimit -n \"$(ulimit -H -n)\"; exec \"$@\"";
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    for &connections in CONNECTIONS {
        let threads = (cores / 2).clamp(1, connections);
        let client = Variant::new("client", &client)
            .args(["pages", &port.to_string(), "/page.html"])
            .arg(site.join("html/page.html"))
            .args(["sh", "-c", limit, "wrk"])
            .arg(&wrk)
            .args([format!("-t{threads}"), format!("-c{connections}"), format!("-d{LOAD}s")])
            .arg(format!("http://127.0.0.1:{port}/page.html"));
        let service =
            Service::new(Ready::port(port), client).idle(Duration::from_secs(1)).stop(Signal::SIGQUIT);
        let variants = programs.variants(|variant| {
            variant.arg("-p").arg(&site).args(["-c", "nginx.conf", "-e", "stderr"]).service(service.clone())
        });
        let theirs = published::NGINX.row(&format!("Concurrent Requests: {connections}"));
        prepared.cases.push(
            Case::new(format!("connections={connections}"), variants)
                .watch([Figure::metric("requests_per_second")])
                .row(
                    RowSpec::rate("requests_per_second")
                        .at("requests", connections as f64, "connections")
                        .published(theirs),
                )
                .rows(server::memory(Some((connections as f64, "connections")))),
        );
    }
    Ok(prepared)
}

/// The load generator.
fn wrk() -> Result<PathBuf, Error> {
    found(brawn_link::toolchain::on_path("wrk"))
}

fn found(wrk: Option<PathBuf>) -> Result<PathBuf, Error> {
    wrk.ok_or_else(|| Error::absent("no wrk", "install it: on Debian `apt-get install wrk`"))
}

/// Writes what nginx serves, and how, into `folder`.
fn site(folder: &Path, port: u16) -> Result<PathBuf, Error> {
    fs_err::create_dir_all(folder.join("html"))?;
    fs_err::create_dir_all(folder.join("logs"))?;
    let page: String =
        "<p>A page of a few hundred bytes, as small ones are.</p>\n".chars().cycle().take(PAGE).collect();
    fs_err::write(folder.join("html/page.html"), page)?;
    let settings = format!(
        "daemon off;\nmaster_process off;\nerror_log stderr warn;\npid nginx.pid;\n\
         events {{ worker_connections 4096; }}\n\
         http {{\n  access_log off;\n  sendfile on;\n  keepalive_requests 1000000000;\n  client_body_temp_path body;\n  \
         server {{ listen 127.0.0.1:{port} backlog=4096; root html; }}\n}}\n"
    );
    fs_err::write(folder.join("nginx.conf"), settings)?;
    Ok(folder.to_owned())
}

#[cfg(test)]
mod tests {
    use brawn_base::Diagnostic as _;

    use super::*;

    #[test]
    fn without_wrk_the_suite_says_how_to_get_it() {
        let error = found(None).unwrap_err();
        assert!(matches!(error, Error::Absent { .. }));
        assert_eq!(error.to_string(), "no wrk");
        assert_eq!(error.hint().unwrap(), "install it: on Debian `apt-get install wrk`");
    }

    #[test]
    fn every_row_of_the_published_table_has_its_case() {
        let rows = published::NGINX.rows();
        assert_eq!(rows.len(), CONNECTIONS.len());
        for connections in CONNECTIONS {
            assert!(rows.contains(&format!("Concurrent Requests: {connections}").as_str()));
        }
    }

    #[test]
    fn the_site_has_a_page_of_the_size_and_the_port() {
        let folder = tempfile::tempdir().unwrap();
        let site = site(folder.path(), 4711).unwrap();
        assert_eq!(fs_err::read(site.join("html/page.html")).unwrap().len(), PAGE);
        assert!(fs_err::read_to_string(site.join("nginx.conf")).unwrap().contains("listen 127.0.0.1:4711 "));
    }
}
