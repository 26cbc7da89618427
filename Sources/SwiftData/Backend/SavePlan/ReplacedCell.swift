/// A value of a row before an upsert.
package struct ReplacedCell {
  let property: __Property
  let cell: SQLValue
}
