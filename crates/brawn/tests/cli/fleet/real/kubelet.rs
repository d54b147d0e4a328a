//! The one question that the API server asks a node in these tests: for a container's log.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;

use rustls::{ServerConnection, StreamOwned};

use crate::image::tls;

/// Answers `/containerLogs/NAMESPACE/POD/CONTAINER` with what `log` knows of a pod.
pub fn serve(listener: &TcpListener, log: impl Fn(&str) -> Option<Vec<u8>>) {
    let (config, _) = tls::server();
    let answer = |socket: TcpStream| -> std::io::Result<()> {
        let connection = ServerConnection::new(Arc::clone(&config)).map_err(std::io::Error::other)?;
        let mut reader = BufReader::new(StreamOwned::new(connection, socket));
        let mut request = String::new();
        reader.read_line(&mut request)?;
        let mut line = String::new();
        while reader.read_line(&mut line)? > 2 {
            line.clear();
        }
        let found = request.split('/').nth(3).and_then(&log);
        let (status, body) = found.map_or((404, b"no such container".to_vec()), |log| (200, log));
        let stream = reader.get_mut();
        write!(stream, "HTTP/1.1 {status} x\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", body.len())?;
        stream.write_all(&body)?;
        stream.conn.send_close_notify();
        stream.flush()
    };
    listener.incoming().flatten().for_each(|socket| drop(answer(socket)));
}
