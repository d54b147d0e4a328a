(* Counts the words of standard input: one half in this process, one in a child that answers through a pipe. *)

let count text =
  let words = Hashtbl.create 64 in
  let add word =
    if word <> "" then
      Hashtbl.replace words word (1 + Option.value ~default:0 (Hashtbl.find_opt words word))
  in
  String.split_on_char '\n' text |> List.concat_map (String.split_on_char ' ') |> List.iter add;
  words

let read_all channel =
  let buffer = Buffer.create 65536 in
  (try
     while true do
       Buffer.add_channel buffer channel 1
     done
   with End_of_file -> ());
  Buffer.contents buffer

let () =
  let text = read_all stdin in
  let length = String.length text in
  let rec blank at = if at >= length || text.[at] = ' ' || text.[at] = '\n' then at else blank (at + 1) in
  let middle = blank (length / 2) in
  let source, sink = Unix.pipe () in
  match Unix.fork () with
  | 0 ->
      Unix.close source;
      let channel = Unix.out_channel_of_descr sink in
      Marshal.to_channel channel (count (String.sub text middle (length - middle))) [];
      close_out channel
  | child ->
      Unix.close sink;
      let words = count (String.sub text 0 middle) in
      let theirs : (string, int) Hashtbl.t = Marshal.from_channel (Unix.in_channel_of_descr source) in
      assert (snd (Unix.waitpid [] child) = Unix.WEXITED 0);
      let merge word times =
        Hashtbl.replace words word (times + Option.value ~default:0 (Hashtbl.find_opt words word))
      in
      Hashtbl.iter merge theirs;
      Hashtbl.fold (fun word times list -> (-times, word) :: list) words []
      |> List.sort compare
      |> List.iteri (fun at (times, word) -> if at < 3 then Printf.printf "%s %d\n" word (-times))
