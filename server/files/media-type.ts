/**
 * Media types by extension, for the formats that people actually store. Anything else is `application/octet-stream`.
 */
const MEDIA_TYPES: Readonly<Record<string, string>> = {
  // text with a type of its own
  css: 'text/css',
  csv: 'text/csv',
  htm: 'text/html',
  html: 'text/html',
  ics: 'text/calendar',
  js: 'text/javascript',
  json: 'application/json',
  jsonl: 'application/x-ndjson',
  markdown: 'text/markdown',
  md: 'text/markdown',
  mjs: 'text/javascript',
  ndjson: 'application/x-ndjson',
  rtf: 'application/rtf',
  svg: 'image/svg+xml',
  toml: 'application/toml',
  tsv: 'text/tab-separated-values',
  vcf: 'text/vcard',
  xhtml: 'application/xhtml+xml',
  xml: 'application/xml',
  yaml: 'application/yaml',
  yml: 'application/yaml',
  // images
  avif: 'image/avif',
  bmp: 'image/bmp',
  gif: 'image/gif',
  heic: 'image/heic',
  ico: 'image/vnd.microsoft.icon',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  png: 'image/png',
  tif: 'image/tiff',
  tiff: 'image/tiff',
  webp: 'image/webp',
  // documents and tables
  doc: 'application/msword',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  epub: 'application/epub+zip',
  odp: 'application/vnd.oasis.opendocument.presentation',
  ods: 'application/vnd.oasis.opendocument.spreadsheet',
  odt: 'application/vnd.oasis.opendocument.text',
  parquet: 'application/vnd.apache.parquet',
  pdf: 'application/pdf',
  ppt: 'application/vnd.ms-powerpoint',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  sqlite: 'application/vnd.sqlite3',
  xls: 'application/vnd.ms-excel',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  // archives, sound, film
  '7z': 'application/x-7z-compressed',
  bz2: 'application/x-bzip2',
  gz: 'application/gzip',
  m4a: 'audio/mp4',
  mp3: 'audio/mpeg',
  mp4: 'video/mp4',
  ogg: 'audio/ogg',
  rar: 'application/vnd.rar',
  tar: 'application/x-tar',
  tgz: 'application/gzip',
  wav: 'audio/wav',
  webm: 'video/webm',
  xz: 'application/x-xz',
  zip: 'application/zip',
  zst: 'application/zstd',
}

/** Text that is read as is: markup, data, settings, logs, source code. */
export const TEXT_EXTENSIONS = new Set(
  `txt text log md markdown rst adoc tex csv tsv json jsonl ndjson json5 jsonc geojson xml xsd xsl xslt xhtml html htm svg rss atom
  yaml yml toml ini cfg conf config properties env editorconfig service timer socket mount desktop rules hosts zone
  js mjs cjs jsx ts mts cts tsx vue svelte css scss sass less py pyi rb php java kt kts scala groovy gradle go rs swift
  c h cc cpp cxx hpp hh cs fs vb m mm pl pm lua r jl dart ex exs erl hrl hs clj cljs lisp el ml mli nim zig
  sh bash zsh fish ps1 psm1 psd1 bat cmd reg awk sed sql graphql gql proto tf tfvars hcl nix bicep dockerfile makefile mk cmake
  diff patch ics vcf eml pem crt csr pub asc srt vtt po pot bib ldif tmpl j2 tpl`.split(/\s+/),
)

/** The media type of a stored file. What the client claims is ignored. */
export function mediaTypeOf(extension: string): string {
  if (Object.hasOwn(MEDIA_TYPES, extension)) return MEDIA_TYPES[extension]!
  return TEXT_EXTENSIONS.has(extension) ? 'text/plain' : 'application/octet-stream'
}

/** The usual extension of a media type; empty when unknown. */
export function extensionFor(media_type: string): string {
  const [plain] = media_type.toLowerCase().split(';')
  const type = plain!.trim()
  if (type === 'text/plain') return 'txt'
  if (type === 'image/jpeg') return 'jpg'
  if (type === 'audio/wave' || type === 'audio/x-wav') return 'wav'
  return Object.entries(MEDIA_TYPES).find(([, known]) => known === type)?.[0] ?? ''
}

/** Whether a file's name promises text. Names without an extension (README, Dockerfile) may be text too. */
export function isTextExtension(extension: string): boolean {
  return extension === '' || TEXT_EXTENSIONS.has(extension)
}
