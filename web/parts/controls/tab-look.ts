/** How tabs look, whether they switch a part of a page or lead to another page. */

/** The row; it scrolls sideways where it has no room, without a scroll bar across its end. */
export const TAB_ROW = 'border-line flex gap-1 overflow-x-auto overflow-y-hidden border-b [scrollbar-width:none]'

export const TAB =
  'text-muted hover:text-ink aria-[current=page]:border-accent aria-[current=page]:text-ink data-[state=active]:border-accent data-[state=active]:text-ink flex h-9 shrink-0 items-center gap-1.5 border-b-2 border-transparent px-2.5 font-medium focus-visible:-outline-offset-2'
