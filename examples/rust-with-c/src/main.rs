//! Rust with libraries inside that allocate on their own: all of them on the one heap.

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    // C++
    let url = ada_url::Url::parse("https://EXAMPLE.org/a/../words?count=1000", None)?;
    println!("Ada {}", url.href());

    // C: a table in memory, from several threads at once
    let sums: Result<Vec<i64>, rusqlite::Error> = std::thread::scope(|scope| {
        let threads: Vec<_> = (1..=4).map(|n| scope.spawn(move || sum(n * 1000))).collect();
        threads.into_iter().map(|thread| thread.join().expect("no thread panics")).collect()
    });
    println!("SQLite {:?}", sums?);

    // C
    let text = url.href().repeat(1000);
    let packed = zstd::encode_all(text.as_bytes(), 3)?;
    println!("Zstandard {} {}", text.len(), zstd::decode_all(&*packed)? == text.as_bytes());

    // C and assembly
    #[cfg(feature = "openssl")]
    {
        let digest = openssl::sha::sha256(text.as_bytes());
        println!("OpenSSL {:02x}{:02x}{:02x}{:02x}", digest[0], digest[1], digest[2], digest[3]);
    }
    Ok(())
}

fn sum(rows: i64) -> Result<i64, rusqlite::Error> {
    let connection = rusqlite::Connection::open_in_memory()?;
    connection.execute("CREATE TABLE number (value INTEGER, text TEXT)", ())?;
    for value in 0..rows {
        connection.execute("INSERT INTO number VALUES (?1, ?2)", (value, format!("number {value}")))?;
    }
    connection.query_row("SELECT sum(value) FROM number", (), |row| row.get(0))
}
