/** A web address from a module; anything else is shown as plain text. */
export function OutsideLink({ href }: { readonly href: string }) {
  const url = URL.canParse(href) ? new URL(href) : null
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    return <span className="break-all">{href}</span>
  return (
    <a
      href={url.href}
      target="_blank"
      rel="noopener noreferrer nofollow"
      className="text-accent break-all underline underline-offset-2"
    >
      {url.href}
    </a>
  )
}
