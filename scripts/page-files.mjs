/**
 * What the browser loads for a page, read from the manifest of a build: for the sizes that scripts/budget.mjs watches, and
 * for the list that lets the server announce a page's files with the page (server/http/page-preloads.ts).
 */
import { statSync } from 'node:fs'
import { join } from 'node:path'

const PAGE = /^pages\/([\w-]+)\.tsx$/
/** Page with a parameter of its address → what it then also loads at once. */
const LOADED_FOR = { 'chat?c': 'chat/thread/message-list.tsx' }

/** The chunks that are loaded for these keys of the manifest: their own, and their static imports. */
function chunksFor(manifest, keys) {
  const seen = new Set()
  const visit = (key) => {
    if (seen.has(key)) return
    seen.add(key)
    for (const next of manifest[key].imports ?? []) visit(next)
  }
  keys.forEach(visit)
  return [...seen].map((key) => manifest[key])
}

function filesOf(chunks) {
  return [...new Set(chunks.flatMap(({ file, css = [] }) => [file, ...css]))]
}

function entryOf(manifest) {
  return Object.keys(manifest).find((key) => manifest[key].isEntry)
}

/**
 * `{ pages, languages }`: page → all files that it needs (also with a parameter: `chat?c`), and language → the file with its
 * texts; as paths on the server. A browser has six connections: the largest file is first, because nothing is shown before
 * it is there.
 */
export function preloadsOf(manifest, folder) {
  const entry = entryOf(manifest)
  const pages = {}
  const languages = {}
  const size = (file) => statSync(join(folder, file)).size
  for (const [key, { file }] of Object.entries(manifest)) {
    const [, page] = PAGE.exec(key) ?? []
    const [, language] = /^locales\/(\w+)\.json$/.exec(key) ?? []
    if (language !== undefined) languages[language] = `/${file}`
    if (page === undefined) continue
    const first = filesOf(chunksFor(manifest, [entry, key])).sort((a, b) => size(b) - size(a))
    pages[page] = first.map((path) => `/${path}`)
  }
  for (const [name, key] of Object.entries(LOADED_FOR)) {
    const then = filesOf(chunksFor(manifest, [key])).map((path) => `/${path}`)
    pages[name] = [...new Set([...pages[name.split('?', 1)[0]], ...then])]
  }
  return { pages, languages }
}

/**
 * `{ first_load, with_messages, chunks }`, all in bytes of gzip: JavaScript that the browser loads before it shows /chat
 * (the entry, the page and their static imports), the same with a conversation's messages, and each chunk by its name
 * without the hash. Chunks with the same name count as one. What lies outside web/ is text (the guide, the changelog): it
 * may grow.
 */
export function sizesOf(manifest, folder) {
  const gzip = (file) => statSync(join(folder, `${file}.gz`)).size
  const scripts = (keys) =>
    filesOf(chunksFor(manifest, keys))
      .filter((file) => file.endsWith('.js'))
      .reduce((sum, file) => sum + gzip(file), 0)
  const first = [entryOf(manifest), 'pages/chat.tsx']
  const chunks = {}
  const programs = Object.values(manifest).filter(({ src }) => !src?.startsWith('../'))
  for (const file of filesOf(programs)) {
    const [, name] = /([^/]+)-[\w-]{8}(\.(?:js|css))$/.exec(file) ?? []
    if (name === undefined) continue
    const whole = name + file.slice(file.lastIndexOf('.'))
    chunks[whole] = (chunks[whole] ?? 0) + gzip(file)
  }
  return { first_load: scripts(first), with_messages: scripts([...first, LOADED_FOR['chat?c']]), chunks }
}
