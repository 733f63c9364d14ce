/** A name as SQL: whatever it contains, it stays a name. */
export function sqlName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** A text as SQL: whatever it contains, it stays text. */
export function sqlText(text: string): string {
  const literal = `'${text.replaceAll("'", "''")}'`
  // The engine takes a NUL within SQL for its end.
  return text.includes('\0') ? `concat(${literal.replaceAll('\0', "', chr(0), '")})` : literal
}
