/** The parts of a request, before it is sent or written as a command. */
export interface Request {
  readonly method: string
  /** Path with its query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** JSON, or the name of a file with the bytes; null when the request has no body. */
  readonly body: { readonly json: string } | { readonly file: string } | null
}

/** The request as a shell command, with the reader's access token in `$TOKEN`. */
export function curlCommand(
  origin: string,
  { method, path, headers, body }: Request,
  answers: 'json' | 'file' | 'events',
): string {
  const parts = ['curl']
  if (answers === 'events') parts.push('--no-buffer')
  if (answers === 'file') parts.push('--remote-name --remote-header-name')
  const implied = body === null ? 'GET' : 'POST'
  if (method !== implied) parts.push(`--request ${method}`)
  const lines = [parts.join(' '), `--header "Authorization: Bearer $TOKEN"`]
  for (const [name, value] of Object.entries(headers)) lines.push(`--header ${quote(`${name}: ${value}`)}`)
  if (body !== null && 'json' in body)
    lines.push(`--header 'Content-Type: application/json'`, `--data ${quote(body.json)}`)
  if (body !== null && 'file' in body) lines.push(`--data-binary ${quote(`@${body.file}`)}`)
  return [...lines, quote(origin + path)].join(' \\\n  ')
}

/** Quotes for a POSIX shell, where nothing inside single quotes is special. */
function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
