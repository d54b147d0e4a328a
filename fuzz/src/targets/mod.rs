mod archive;
mod arguments;
mod certificates;
mod compiled;
mod elf;
mod fleetlog;
mod fleetspec;
mod functions;
mod graft;
mod gzip;
mod http;
mod knobs;
mod layout;
mod logins;
mod manifest;
mod note;
mod record;
mod registry;
mod results;
mod state;
mod tar;

use crate::Target;

/// Every parser of bytes from outside. A new one is a file beside this one, and a row.
pub const TARGETS: &[Target] = &[
    Target { name: "elf", seeds: elf::seeds, read: elf::read },
    Target { name: "note", seeds: note::seeds, read: note::read },
    Target { name: "archive", seeds: archive::seeds, read: archive::read },
    Target { name: "record", seeds: record::seeds, read: record::read },
    Target { name: "manifest", seeds: manifest::seeds, read: manifest::read },
    Target { name: "registry", seeds: registry::seeds, read: registry::read },
    Target { name: "tar", seeds: tar::seeds, read: tar::read },
    Target { name: "gzip", seeds: gzip::seeds, read: gzip::read },
    Target { name: "knobs", seeds: knobs::seeds, read: knobs::read },
    Target { name: "http", seeds: http::seeds, read: http::read },
    Target { name: "logins", seeds: logins::seeds, read: logins::read },
    Target { name: "certificates", seeds: certificates::seeds, read: certificates::read },
    Target { name: "arguments", seeds: arguments::seeds, read: arguments::read },
    Target { name: "results", seeds: results::seeds, read: results::read },
    Target { name: "state", seeds: state::seeds, read: state::read },
    Target { name: "functions", seeds: functions::seeds, read: functions::read },
    Target { name: "graft", seeds: graft::seeds, read: graft::read },
    Target { name: "fleetlog", seeds: fleetlog::seeds, read: fleetlog::read },
    Target { name: "fleetspec", seeds: fleetspec::seeds, read: fleetspec::read },
];
