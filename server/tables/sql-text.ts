/** A name as SQL: whatever is in it stays a name. */
export function sqlName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** A text as SQL: whatever is in it stays text. */
export function sqlText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
