import { createContext, useContext, useEffect, type ReactNode } from 'react'
import { classNames } from '../class-names.ts'
import { t } from '../../text/i18n.ts'

export interface PageProps {
  title: string
  /** To the right of the title. */
  actions?: ReactNode
  /** Before the title, for example a drawer's button. */
  lead?: ReactNode
  /** The page fills the frame and scrolls internally (chat); otherwise the frame scrolls a centred column. */
  fill?: boolean
  children: ReactNode
}

/** Links to the other pages of an area, below the title of whichever page is shown. */
export const PageTabs = createContext<ReactNode>(null)

/** A page in the frame: title and actions in one line, then the content. Also sets the browser tab's title. */
export function Page({ title, actions, lead, fill = false, children }: PageProps) {
  const tabs = useContext(PageTabs)
  useEffect(() => {
    document.title = `${title} · ${t('app.name')}`
  }, [title])
  return (
    <div className={classNames('flex flex-col', fill ? 'h-full min-h-0' : 'min-h-full')}>
      <header className="border-line bg-canvas/90 sticky top-0 z-10 flex h-14 shrink-0 items-center gap-2 border-b px-4 backdrop-blur sm:px-6">
        {lead}
        <h1 className="text-md min-w-0 flex-1 truncate font-semibold">{title}</h1>
        {actions}
      </header>
      {tabs}
      {fill ? (
        <div className="flex min-h-0 flex-1">{children}</div>
      ) : (
        <div className="mx-auto w-full max-w-6xl flex-1 px-4 py-6 sm:px-6">{children}</div>
      )}
    </div>
  )
}
