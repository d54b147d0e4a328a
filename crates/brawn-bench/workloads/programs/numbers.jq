# Numbers from text and to text, grouped and sorted.
[limit(40000; inputs) | split(",") | {id: .[0] | tonumber, name: .[1], value: .[2] | tonumber, size: .[3] | tonumber}]
| group_by(.name)
| map({name: .[0].name, count: length, mean: (map(.value) | add / length), root: (map(.size | sqrt) | add), ids: (map(.id | tostring | length) | add)})
| sort_by(.mean)
