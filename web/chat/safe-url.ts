/** Where a link written by a model may lead: web addresses, mail and pages of this service. Null: show it as text. */
export function safeLink(href: string): string | null {
  const url = parse(href)
  if (!url) return null
  return url.protocol === 'https:' || url.protocol === 'http:' || url.protocol === 'mailto:' ? url.href : null
}

/**
 * An image the browser may load by itself: of this service, or inside the text. Anything else would tell a stranger's server
 * that (and with what data in the address) the answer was read. Null: show the address instead.
 */
export function safeImage(src: string): string | null {
  const url = parse(src)
  if (!url) return null
  if (url.protocol === 'data:') return /^data:image\/(png|jpeg|gif|webp|avif)[;,]/i.test(url.href) ? url.href : null
  return (url.protocol === 'https:' || url.protocol === 'http:') && url.origin === origin() ? url.href : null
}

function parse(address: string): URL | null {
  // A `\` after the scheme or at the start counts as `/` in browsers; the URL parser knows, a prefix check would not.
  try {
    return new URL(address, `${origin()}/`)
  } catch {
    return null
  }
}

function origin(): string {
  return typeof location === 'undefined' ? 'http://localhost' : location.origin
}
