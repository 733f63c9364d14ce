/** What keeps a text from being copied as is: markup, control characters, and anything that looks like an escape. */
// oxlint-disable-next-line no-control-regex
const SPECIAL = /[&<>"\0-\x08\x0b-\x1f\ufffe\uffff]|_x[0-9A-Fa-f]{4}_/
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\0-\x08\x0b-\x1f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)/g

/**
 * Text for the XML of a workbook: control characters, which XML cannot hold, are written `_x0000_` as spreadsheets do.
 */
export function xmlText(text: string): string {
  if (!SPECIAL.test(text)) return text
  return text
    .replace(CONTROL, (c) => `_x${c.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
