# Sums by name, splitting, substitution and formatted numbers.
{
    sum[$2] += $3
    count[$2]++
    if ($3 > most[$2]) most[$2] = $3
    gsub(/[aeiou]/, "*", $2)
    split($4, digits, "0")
    text = sprintf("%08.3f %s %d", $3, $2, $1)
    length_of_all += length(text) + digits[1]
    if (text ~ /[0-9]+\.5.* \*/) matched++
}
END {
    for (name in sum) total += sum[name] / count[name] + most[name]
    printf "%d lines, %d matched, %.6f, %d\n", NR, matched, total, length_of_all
}
