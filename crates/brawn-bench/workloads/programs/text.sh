# A script of text: pattern substitution, `=~`, loops that read, arrays, printf and subshells.
LC_ALL=C
lines=()
n=12345
for ((i = 0; i < 6000; i++)); do
    ((n = (n * 1103515245 + 12345) & 0x7fffffff))
    lines+=("user$((n % 97)) /path/to/file$((n % 1009)).txt $n $((n % 3600)).$((n % 100))")
done
while read -r user path size seconds; do
    base=${path##*/}
    name=${base%.txt}
    name=${name//file/doc-}
    if [[ $seconds =~ ^([0-9]+)\.([0-9]+)$ ]]; then
        whole=${BASH_REMATCH[1]}
    fi
    case $user in
        user1*) kind=one ;;
        *7) kind=seven ;;
        *) kind=other ;;
    esac
    printf -v line '%-10s %08d %s %s' "${user^^}" "$size" "$name" "$kind"
    ((count[whole % 60]++, sum += size % 1000))
    last=${line//[0-9]/#}
done < <(printf '%s\n' "${lines[@]}")
echo "$sum $last ${count[*]}"
for ((i = 0; i < 150; i++)); do
    part=$(echo "${lines[i]}" | while IFS=' ' read -r user rest; do echo "${rest^^} $user"; done)
    total=$((total + ${#part}))
done
echo "$total"
