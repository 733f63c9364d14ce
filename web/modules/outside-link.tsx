/** A web address that a module gives; anything that is no web address is shown as the text that it is. */
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
