use std::collections::HashMap;
use std::fmt;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::sync::{Arc, Mutex};

use oci_spec::image::{Descriptor, ImageIndex, MediaType};
use ureq::Body;
use ureq::http::{Method, Response};
use url::Url;

use super::client::{Call, Client, Payload};
use super::retry::Failure;
use super::{Access, Reference, header};
use crate::blob::{Checked, sha256};
use crate::{Blob, Error, json, limits, room};

/// A repository of a registry. What was fetched from it is kept until it is dropped, so that a digest is fetched once.
#[derive(Debug)]
pub struct Repository {
    client: Client,
    name: String,
    /// Manifests and indexes by digest.
    manifests: Mutex<HashMap<String, Blob>>,
    /// Blobs by digest, in files without a name.
    blobs: Mutex<HashMap<String, Arc<File>>>,
}

/// What may come as a manifest.
const MANIFESTS: &str = "application/vnd.oci.image.index.v1+json, application/vnd.oci.image.manifest.v1+json, \
                         application/vnd.docker.distribution.manifest.list.v2+json, \
                         application/vnd.docker.distribution.manifest.v2+json";

impl Repository {
    /// Prepares to speak to the repository that a reference names.
    pub fn open(reference: &Reference, access: &Access) -> Result<Repository, Error> {
        let client = Client::new(reference, access)?;
        let name = reference.repository.clone();
        Ok(Repository { client, name, manifests: Mutex::default(), blobs: Mutex::default() })
    }

    /// Its path in the registry.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether the other is in the same registry.
    pub fn same_registry(&self, other: &Repository) -> bool {
        self.client.address.is_registry(other.client.address.root())
    }

    fn call<'a>(&self, method: Method, path: &str, payload: Payload<'a>) -> Call<'a> {
        let actions = if method == Method::GET { "pull" } else { "pull,push" };
        let mut url = self.client.address.root().clone();
        url.set_path(&format!("/v2/{}/{path}", self.name));
        let scope = format!("repository:{}:{actions}", self.name);
        Call { method, url, headers: Vec::new(), payload, scope }
    }

    /// The bytes of a manifest or index and the media type that the registry says it has.
    fn get_manifest(&self, reference: &str) -> Result<(Vec<u8>, String), Error> {
        let mut call = self.call(Method::GET, &format!("manifests/{reference}"), Payload::Nothing);
        call.headers.push(("accept", MANIFESTS.to_owned()));
        self.client.attempts(|| {
            let response = self.client.once_as(&call, &[200])?;
            let media_type = header::media_type(response.headers()).to_owned();
            Ok((self.client.read(&call, response, "a manifest", limits::DOCUMENT)?, media_type))
        })
    }

    /// The manifest or index with a digest.
    pub fn manifest(&self, digest: &str) -> Result<Blob, Error> {
        if let Some(known) = self.manifests.lock().expect("no thread panics with it").get(digest) {
            return Ok(known.clone());
        }
        let (bytes, media_type) = self.get_manifest(digest)?;
        let found = sha256(&bytes);
        if found != digest {
            let what = "the manifest".to_owned();
            return Err(Error::Digest { place: self.to_string(), what, expected: digest.to_owned(), found });
        }
        let manifest = Blob::new(MediaType::from(media_type.as_str()), bytes);
        let mut manifests = self.manifests.lock().expect("no thread panics with it");
        manifests.insert(digest.to_owned(), manifest.clone());
        Ok(manifest)
    }

    /// The digest of what a tag names now.
    pub fn resolve(&self, tag: &str) -> Result<String, Error> {
        Ok(sha256(&self.get_manifest(tag)?.0))
    }

    /// A file with the bytes of a blob, which have the descriptor's digest.
    pub(crate) fn fetch(&self, descriptor: &Descriptor) -> Result<Arc<File>, Error> {
        let digest = descriptor.digest().to_string();
        if let Some(known) = self.blobs.lock().expect("no thread panics with it").get(&digest) {
            return Ok(known.clone());
        }
        room::check(&std::env::temp_dir(), descriptor.size())?;
        let mut file = tempfile::tempfile()?;
        self.download(descriptor, &mut file)?;
        let file = Arc::new(file);
        self.blobs.lock().expect("no thread panics with it").insert(digest, file.clone());
        Ok(file)
    }

    fn download(&self, descriptor: &Descriptor, file: &mut File) -> Result<(), Error> {
        let call = self.call(Method::GET, &format!("blobs/{}", descriptor.digest()), Payload::Nothing);
        let size = descriptor.size();
        self.client.attempts(|| {
            let response = self.client.once_as(&call, &[200])?;
            if let Some(found) = header::content_length(response.headers()).filter(|found| *found != size) {
                let what = format!("{} should be {size} bytes, and comes as {found}", descriptor.digest());
                return Err(Failure::lasting(Error::damaged(self.to_string(), what)));
            }
            file.set_len(0).map_err(Error::Io)?;
            file.seek(SeekFrom::Start(0)).map_err(Error::Io)?;
            let body = self.client.body(response, size);
            let mut checked = Checked::new(descriptor, self.to_string(), body);
            copy(&mut checked, file, size, |error| self.client.failed(&call, error.into()))?;
            checked.finish().map_err(Failure::lasting)
        })
    }

    /// Makes sure that a blob is in the repository: it is there already, or another repository of the registry has it,
    /// or it is sent.
    pub(crate) fn send(&self, blob: &Blob, sources: &[String]) -> Result<(), Error> {
        let mut sources = sources.to_vec();
        sources.retain(|source| *source != self.name);
        self.client.attempts(|| {
            let call = self.call(Method::HEAD, &format!("blobs/{}", blob.digest()), Payload::Nothing);
            // Whatever else it answers, some registries refuse to say and take the blob all the same.
            if self.client.once(&call)?.status() == 200 {
                return Ok(());
            }
            let mut location = None;
            for source in &sources {
                match self.begin(blob, Some(source)) {
                    Ok(None) => return Ok(()),
                    Ok(begun) => location = begun,
                    // We may not read there, or the registry cannot mount: then the blob is sent.
                    Err(failure) if !failure.transient => {}
                    Err(failure) => return Err(failure),
                }
            }
            let location = match location {
                Some(location) => location,
                None => self.begin(blob, None)?.ok_or_else(|| {
                    Failure::lasting(Error::Protocol {
                        registry: self.client.registry.clone(),
                        request: format!("POST /v2/{}/blobs/uploads/", self.name),
                        what: "a blob that it does not have is there already".to_owned(),
                    })
                })?,
            };
            self.upload(blob, location)
        })
    }

    /// Begins an upload, or mounts the blob from another repository: then there is nothing to upload.
    fn begin(&self, blob: &Blob, source: Option<&str>) -> Result<Option<Url>, Failure> {
        let mut call = self.call(Method::POST, "blobs/uploads/", Payload::Bytes(b""));
        if let Some(source) = source {
            call.url.query_pairs_mut().append_pair("mount", blob.digest()).append_pair("from", source);
            call.scope.push_str(&format!(" repository:{source}:pull"));
        }
        let statuses: &[u16] = if source.is_some() { &[201, 202] } else { &[202] };
        let response = self.client.once_as(&call, statuses)?;
        if response.status() == 201 {
            return Ok(None);
        }
        let location = header::location(response.headers())
            .ok_or_else(|| self.client.protocol(&call, "it does not say where to send the blob"))?;
        Ok(Some(self.client.address.resolve(&call.url, location)?))
    }

    fn upload(&self, blob: &Blob, mut location: Url) -> Result<(), Failure> {
        location.query_pairs_mut().append_pair("digest", blob.digest());
        let mut call = self.call(Method::PUT, "", Payload::Blob(blob));
        call.url = location;
        call.headers.push(("content-type", "application/octet-stream".to_owned()));
        self.client.once_as(&call, &[201, 204]).map(drop)
    }

    /// Puts a manifest under a tag or its digest, and makes sure that the registry understood the same one.
    pub(crate) fn put_manifest(&self, manifest: &Blob, reference: &str) -> Result<Response<Body>, Error> {
        let bytes = manifest.read()?;
        let mut call = self.call(Method::PUT, &format!("manifests/{reference}"), Payload::Bytes(&bytes));
        call.headers.push(("content-type", manifest.descriptor.media_type().to_string()));
        let response = self.client.attempts(|| self.client.once_as(&call, &[200, 201, 202]))?;
        let said = header::content_digest(response.headers());
        if let Some(found) = said.filter(|found| *found != manifest.digest()) {
            return Err(Error::Digest {
                place: self.to_string(),
                what: "the manifest that was put".to_owned(),
                expected: manifest.digest().to_owned(),
                found: found.to_owned(),
            });
        }
        Ok(response)
    }

    /// Puts a manifest that refers to another one. A registry without referrers of its own gets them in an index under a
    /// tag made of the subject's digest, as the specification has it.
    pub(crate) fn refer(&self, manifest: &Blob, artifact_type: &str, subject: &str) -> Result<(), Error> {
        let response = self.put_manifest(manifest, manifest.digest())?;
        if response.headers().contains_key("oci-subject") {
            return Ok(());
        }
        let tag = subject.replace(':', "-");
        let mut entries = match self.get_manifest(&tag) {
            Ok((bytes, _)) => {
                let index: ImageIndex = serde_json::from_slice(&bytes)
                    .map_err(|error| Error::damaged(format!("{self}:{tag}"), error.to_string()))?;
                index.manifests().clone()
            }
            Err(Error::Refused { status: 404, .. }) => Vec::new(),
            Err(error) => return Err(error),
        };
        let mut descriptor = manifest.descriptor.clone();
        descriptor.set_artifact_type(Some(MediaType::Other(artifact_type.to_owned())));
        if entries.iter().any(|entry| entry.digest() == descriptor.digest()) {
            return Ok(());
        }
        entries.push(descriptor);
        let index = json::canonical(&json::index(entries));
        self.put_manifest(&Blob::new(MediaType::ImageIndex, index), &tag)?;
        Ok(())
    }
}

impl fmt::Display for Repository {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.client.registry, self.name)
    }
}

/// Copies no more than `size` bytes, and tells an error of reading, which may pass, from one of writing, which does not.
fn copy(
    reader: &mut impl Read,
    file: &mut File,
    size: u64,
    cut: impl Fn(std::io::Error) -> Failure,
) -> Result<(), Failure> {
    let mut buffer = vec![0; 64 << 10];
    let mut left = size;
    loop {
        match reader.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(count) => {
                // What is too long is counted by the reader, and not written.
                let count = left.min(count as u64);
                file.write_all(&buffer[..count as usize]).map_err(Error::Io)?;
                left -= count;
            }
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(cut(error)),
        }
    }
}
