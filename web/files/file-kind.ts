/** How a file is shown: as an image, in the browser's viewer, as a grid, as text, or not at all. */
export type ShownAs = 'image' | 'pdf' | 'table' | 'text' | 'none'

const IMAGES = words('png jpg jpeg gif webp avif bmp ico svg')
const TABLES = words('csv tsv tab json ndjson jsonl xlsx xlsm xltx xls ods parquet sqlite sqlite3 db')
/** Tables that can also be read as text. */
const BOTH = words('csv tsv tab json ndjson jsonl')
const TEXTS = words(
  'txt text md markdown log xml yaml yml toml ini conf cfg env properties js mjs cjs ts tsx jsx css html htm py rb php java kt ' +
    'go rs c h cpp cs sh bash ps1 bat sql eml ics vcf srt diff patch tex rtf',
)

export interface Named {
  readonly extension: string
  readonly media_type: string
}

/** How a file is shown initially. Decided by its extension, as on the server. */
export function shownAs({ extension, media_type: type }: Named): ShownAs {
  const end = plain(extension)
  if (IMAGES.has(end)) return 'image'
  if (end === 'pdf') return 'pdf'
  if (TABLES.has(end)) return 'table'
  return TEXTS.has(end) || type.startsWith('text/') ? 'text' : 'none'
}

export function hasText({ extension }: Named): boolean {
  return BOTH.has(plain(extension))
}

/** Without the dot, lower case. */
function plain(extension: string): string {
  return extension.replace(/^\./, '').toLowerCase()
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(' '))
}
