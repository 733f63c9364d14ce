import { Link, type LinkProps } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { classNames } from '../class-names.ts'
import { TAB, TAB_ROW } from './tab-look.ts'

export interface TabLink {
  readonly label: string
  readonly to: LinkProps['to']
  readonly params?: LinkProps['params']
}

interface TabLinksProps {
  /** What they lead through. */
  readonly label: string
  readonly links: readonly TabLink[]
}

/** Links to the pages of one area, as tabs below the title. */
export function TabLinks({ label, links }: TabLinksProps) {
  const row = useRef<HTMLElement>(null)
  useEffect(() => {
    // On a phone the row scrolls, and the current page's link may be out of view.
    row.current?.querySelector('[aria-current=page]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  })
  return (
    <nav ref={row} aria-label={label} className={classNames(TAB_ROW, 'shrink-0 px-1.5 sm:px-3.5')}>
      {links.map(({ label: text, to, params }) => (
        <Link
          key={text}
          to={to}
          {...(params && { params })}
          activeOptions={{ exact: true, includeSearch: false }}
          className={TAB}
        >
          {text}
        </Link>
      ))}
    </nav>
  )
}
