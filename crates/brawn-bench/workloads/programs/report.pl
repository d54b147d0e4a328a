# A report on a table: hashes, regular expressions, sorting and formatted numbers.
my (%sum, %count, @rows, $matched, $length);
open my $file, '<', $ARGV[0] or die "$ARGV[0]: $!";
while (my $line = <$file>) {
    chomp $line;
    my ($id, $name, $value, $size) = split /,/, $line;
    $sum{$name} += $value;
    $count{$name}++;
    $matched++ if $line =~ /^(\d+)5,(\w+?)a.*\.(\d\d)/ && $3 > 10;
    (my $other = $name) =~ tr/a-z/A-Z/;
    $length += length sprintf "%-12s %10.3f %s", $other, $value, localtime_of($size) if $id % 7 == 0;
    push @rows, [$id, $value] if $id % 5 == 0;
}
@rows = sort { $a->[1] <=> $b->[1] || $a->[0] <=> $b->[0] } @rows;
printf "%s %.4f %d\n", $_, $sum{$_} / $count{$_}, $count{$_} for sort keys %sum;
print "$matched $length $rows[0][0] $rows[-1][0]\n";

sub localtime_of {
    my @t = gmtime $_[0] * 1000;
    return sprintf "%04d-%02d-%02d %02d:%02d:%02d", $t[5] + 1900, $t[4] + 1, @t[3, 2, 1, 0];
}
