/// The known name nearest to a mistyped one, by edit distance; nil when none is near.
package func nearestName(to name: String, among known: [String]) -> String? {
  let nearest = known.map { (name: $0, distance: editDistance(name.lowercased(), $0.lowercased())) }
    .min { $0.distance < $1.distance }
  guard let nearest, nearest.distance <= max(2, name.count / 3) else { return nil }
  return nearest.name
}

/// Insertions, deletions, replacements and swaps of neighbours that turn one into the other.
func editDistance(_ first: String, _ second: String) -> Int {
  let (a, b) = (Array(first.unicodeScalars), Array(second.unicodeScalars))
  var beforeLast: [Int] = []
  var last = Array(0...b.count)
  for i in a.indices {
    var row = [i + 1]
    for j in b.indices {
      var cost = min(last[j + 1] + 1, row[j] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
      if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
        cost = min(cost, beforeLast[j - 1] + 1)
      }
      row.append(cost)
    }
    (beforeLast, last) = (last, row)
  }
  return last[b.count]
}
