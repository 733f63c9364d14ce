/**
 * The target of a link written by a model, if allowed: web addresses, mail and pages of this service. Null: show it as
 * text.
 */
export function safeLink(href: string): string | null {
  const url = parse(href)
  if (!url) return null
  return url.protocol === 'https:' || url.protocol === 'http:' || url.protocol === 'mailto:' ? url.href : null
}

/**
 * The source of an image that the browser may load by itself: from this service, or inlined in the text. Anything else
 * would tell a foreign server that the answer was read (and could carry data in the address). Null: show the address
 * instead.
 */
export function safeImage(src: string): string | null {
  const url = parse(src)
  if (!url) return null
  if (url.protocol === 'data:') return /^data:image\/(png|jpeg|gif|webp|avif)[;,]/i.test(url.href) ? url.href : null
  return (url.protocol === 'https:' || url.protocol === 'http:') && url.origin === origin() ? url.href : null
}

function parse(address: string): URL | null {
  // Browsers treat a `\` after the scheme or at the start as `/`; the URL parser handles that, a prefix check would
  // not.
  try {
    return new URL(address, `${origin()}/`)
  } catch {
    return null
  }
}

function origin(): string {
  return typeof location === 'undefined' ? 'http://localhost' : location.origin
}
