//! Deciding which members of a `libc.a` go, stay and come, by the symbols that they define.
//!
//! File names decide nothing: musl archives hold two `free.lo`, two `realloc.lo` and two `clone.lo`, and other
//! builds call them `.o`.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::Error;
use crate::archive::{Archive, Member};
use crate::musl::ENTRY;

/// What happens to each member.
pub struct Plan {
    /// Indices of the members that stay, in file order.
    pub keep: Vec<usize>,
    /// The members that go.
    pub drop: Vec<Dropped>,
    /// Index of the member that carries the note: the one that every executable pulls in.
    pub entry: usize,
}

/// A member that the kit replaces, or that only served one which is replaced.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dropped {
    /// The member's file name.
    pub member: String,
    /// Why it goes.
    pub because: Because,
    /// The symbols that it defined.
    pub defines: Vec<String>,
}

/// Why a member goes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Because {
    /// The kit defines this symbol now.
    ReplacedBy(String),
    /// It served only members that go: this symbol of theirs is gone.
    OrphanOf(String),
}

impl Plan {
    /// Plans the replacement of everything in `archive` that `added` defines.
    ///
    /// A member goes when it has a strong definition of a symbol that the kit owns from now on, or nothing but
    /// definitions, weak or strong, of such symbols; and when it is left without a symbol that went, while no one
    /// needs it any more. Then every symbol that is needed must have exactly one owner, or the plan is refused.
    pub fn new(path: &Path, archive: &Archive<'_>, added: &[Member<'_>]) -> Result<Plan, Error> {
        // Weak or strong: the kit's public names are weak, so that a program may bring its own `malloc`.
        let ours: HashSet<&str> = added.iter().flat_map(|member| &member.defined).map(|d| d.name).collect();
        let mut gone: HashMap<usize, Because> = HashMap::new();
        for (index, member) in archive.members.iter().enumerate() {
            let replaced = member.defined.iter().find(|d| !d.weak && ours.contains(d.name)).or_else(|| {
                let all = member.defined.iter().all(|d| ours.contains(d.name));
                member.defined.first().filter(|_| all)
            });
            if let Some(definition) = replaced {
                gone.insert(index, Because::ReplacedBy(definition.name.to_owned()));
            }
        }
        while let Some((index, because)) = next_orphan(archive, added, &gone) {
            gone.insert(index, because);
        }

        let keep: Vec<usize> = (0..archive.members.len()).filter(|index| !gone.contains_key(index)).collect();
        check_whole(path, archive, &keep, added)?;
        let entry = keep
            .iter()
            .copied()
            .find(|&index| archive.members[index].defines(ENTRY))
            .ok_or_else(|| Error::NotALibc { path: path.to_owned() })?;
        let drop = archive
            .members
            .iter()
            .enumerate()
            .filter_map(|(index, member)| {
                Some(Dropped {
                    member: member.name.clone(),
                    because: gone.remove(&index)?,
                    defines: member.defined.iter().map(|definition| definition.name.to_owned()).collect(),
                })
            })
            .collect();
        Ok(Plan { keep, drop, entry })
    }
}

/// The names of members of `added` that would take a public name from the archive which no one else has, such as `open64`,
/// an alias that musl had up to 1.2.3.
pub fn losing<'a>(archive: &Archive<'_>, added: &[Member<'a>]) -> HashSet<String> {
    let ours: HashSet<&str> = added.iter().flat_map(|member| &member.defined).map(|d| d.name).collect();
    let mut losing = HashSet::new();
    for stock in &archive.members {
        let lost = |name: &str| {
            let owners = archive.members.iter().filter(|it| it.defined.iter().any(|d| d.name == name));
            !name.starts_with('_') && !ours.contains(name) && owners.count() == 1
        };
        let replaced = stock.defined.iter().find(|d| !d.weak && ours.contains(d.name));
        if let Some(replaced) = replaced
            && stock.defined.iter().any(|d| lost(d.name))
        {
            let owner = added.iter().find(|member| member.defined.iter().any(|d| d.name == replaced.name));
            losing.extend(owner.map(|member| member.name.clone()));
        }
    }
    losing
}

/// A member that needs a symbol which went with another member, and that no one needs: `__malloc_donate`, for one,
/// is only called by the dynamic loader, which is not in the archive.
fn next_orphan(
    archive: &Archive<'_>,
    added: &[Member<'_>],
    gone: &HashMap<usize, Because>,
) -> Option<(usize, Because)> {
    let stays = |index: &usize| !gone.contains_key(index);
    let staying =
        || archive.members.iter().enumerate().filter(move |(i, _)| stays(i)).map(|(_, m)| m).chain(added);
    let defined: HashSet<&str> = staying().flat_map(|member| &member.defined).map(|d| d.name).collect();
    let went: HashSet<&str> = archive
        .members
        .iter()
        .enumerate()
        .filter(|(index, _)| !stays(index))
        .flat_map(|(_, member)| &member.defined)
        .map(|d| d.name)
        .filter(|name| !defined.contains(name))
        .collect();
    if went.is_empty() {
        return None;
    }
    let needed: HashSet<&str> = staying().flat_map(|member| member.needed.iter().copied()).collect();
    archive.members.iter().enumerate().filter(|(index, _)| stays(index)).find_map(|(index, member)| {
        let missing = member.needed.iter().find(|name| went.contains(*name))?;
        // Only a reserved name can be no one's but the library's own.
        let nobodys = member.defined.iter().all(|d| d.name.starts_with("__") && !needed.contains(d.name));
        nobodys.then(|| (index, Because::OrphanOf((*missing).to_owned())))
    })
}

/// Every needed symbol has exactly one owner, or had none in the archive as it came (`main`, compiler helpers).
fn check_whole(
    path: &Path,
    archive: &Archive<'_>,
    keep: &[usize],
    added: &[Member<'_>],
) -> Result<(), Error> {
    let kept: Vec<&Member<'_>> = keep.iter().map(|&index| &archive.members[index]).chain(added).collect();
    let mut owners: HashMap<&str, &Member<'_>> = HashMap::new();
    for member in &kept {
        for definition in member.defined.iter().filter(|definition| !definition.weak) {
            let Some(first) = owners.insert(definition.name, member) else { continue };
            let stock_has_both =
                archive.members.iter().filter(|stock| stock.defines(definition.name)).count() > 1;
            if !stock_has_both {
                return Err(Error::TwoOwners {
                    path: path.to_owned(),
                    symbol: definition.name.to_owned(),
                    first: first.name.clone(),
                    second: member.name.clone(),
                });
            }
        }
    }
    let defined: HashSet<&str> =
        kept.iter().flat_map(|member| &member.defined).map(|definition| definition.name).collect();
    let stock_defined: HashSet<&str> =
        archive.members.iter().flat_map(|member| &member.defined).map(|d| d.name).collect();
    let stock_open: HashSet<&str> = archive
        .members
        .iter()
        .flat_map(|member| member.needed.iter().copied())
        .filter(|name| !stock_defined.contains(name))
        .collect();
    // zig keeps the heap, and much of what a heap calls, in a second archive of its own: then what the kit needs is
    // for the linker to find there.
    let split = !archive.mentions("malloc");
    let whole = kept.iter().filter(|member| !split || !added.iter().any(|ours| std::ptr::eq(ours, **member)));
    for member in whole {
        for needed in &member.needed {
            if !defined.contains(needed) && !stock_open.contains(needed) {
                return Err(Error::Unresolved {
                    path: path.to_owned(),
                    symbol: (*needed).to_owned(),
                    member: member.name.clone(),
                });
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::archive::Definition;

    /// `"name: +strong ~weak needed"`
    fn member(line: &'static str) -> Member<'static> {
        let (name, symbols) = line.split_once(": ").unwrap();
        let mut member = Member {
            name: name.to_owned(),
            data: &[],
            machine: 62,
            defined: Vec::new(),
            needed: Vec::new(),
            has_note: false,
        };
        for symbol in symbols.split_whitespace() {
            match symbol.split_at(1) {
                ("+", name) => member.defined.push(Definition { name, weak: false }),
                ("~", name) => member.defined.push(Definition { name, weak: true }),
                _ => member.needed.push(symbol),
            }
        }
        member
    }

    fn plan(stock: &[&'static str], kit: &'static str) -> Result<Plan, Error> {
        let members = stock.iter().copied().chain(["start.o: +__libc_start_main main"]).map(member).collect();
        Plan::new(Path::new("libc.a"), &Archive { members }, &[member(kit)])
    }

    #[test]
    fn members_go_by_symbol_and_not_by_name() {
        let plan = plan(
            &["free.lo: +free __libc_free", "free.lo: +__libc_free", "free.lo: +freeaddrinfo free"],
            "kit.o: +free +__libc_free",
        )
        .unwrap();
        assert_eq!(plan.keep, [2, 3]);
        assert_eq!(plan.drop[0].because, Because::ReplacedBy("free".into()));
    }

    #[test]
    fn a_weak_fallback_in_a_useful_member_stays() {
        let plan = plan(
            &["fork.lo: +fork ~__malloc_atfork", "lite.lo: ~malloc", "m.lo: +__malloc_atfork"],
            "kit.o: +malloc +__malloc_atfork",
        )
        .unwrap();
        assert_eq!(plan.keep, [0, 3], "fork stays, the member with nothing but a weak malloc goes");
    }

    #[test]
    fn who_takes_an_alias_away_is_known() {
        let losing = |stock: &'static str| {
            losing(&Archive { members: vec![member(stock)] }, &[member("open.o: +open openat")])
        };
        assert_eq!(losing("open.lo: +open ~open64"), HashSet::from(["open.o".to_owned()]));
        assert!(losing("open.lo: +open ~__open").is_empty());
        assert!(losing("other.lo: +openat ~openat64").is_empty());
    }

    #[test]
    fn weak_names_of_the_kit_are_the_kits_own() {
        let plan = plan(&["calloc.o: +calloc", "malloc.o: ~malloc"], "kit.o: ~malloc ~calloc").unwrap();
        assert_eq!(plan.keep, [2]);
    }

    #[test]
    fn orphans_of_the_old_heap_go_with_it() {
        let stock = [
            "malloc.o: +malloc +__alloc_meta",
            "donate.o: +__donate __alloc_meta",
            "more.o: +__more __donate",
        ];
        let error = plan(&stock[..3], "kit.o: +malloc").err().unwrap();
        assert!(matches!(&error, Error::Unresolved { symbol, .. } if symbol == "__alloc_meta"), "{error}");
        let plan = plan(&stock[..2], "kit.o: +malloc").unwrap();
        assert_eq!(plan.keep, [2]);
        assert_eq!(plan.drop[1].because, Because::OrphanOf("__alloc_meta".into()));
    }

    #[test]
    fn a_public_function_is_never_an_orphan() {
        let error = plan(
            &["malloc.o: +malloc +__malloc_context", "aligned.o: +aligned_alloc __malloc_context"],
            "kit.o: +malloc",
        )
        .err()
        .unwrap();
        assert_eq!(error.to_string(), "libc.a: nothing would define __malloc_context, which aligned.o needs");
    }

    #[test]
    fn the_kit_must_be_met_by_the_archive() {
        let error = plan(&["malloc.o: +malloc"], "kit.o: +malloc __popcountdi2").err().unwrap();
        assert_eq!(error.to_string(), "libc.a: nothing would define __popcountdi2, which kit.o needs");
    }

    #[test]
    fn what_was_open_in_the_archive_may_stay_open() {
        assert!(plan(&["malloc.o: +malloc", "x.o: +x __addtf3"], "kit.o: +malloc main").is_ok());
    }
}
