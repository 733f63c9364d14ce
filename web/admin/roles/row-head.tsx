import type { ReactNode } from 'react'

/** The first cell of a row: its name, its code and optional additions. */
export function RowHead({ title, code, children }: { title: string; code: string; children?: ReactNode }) {
  return (
    <th
      scope="row"
      className="bg-surface border-line sticky left-0 z-1 max-w-80 md:min-w-32 border-b py-2 ps-3 pe-2 align-top font-normal sm:min-w-56 sm:ps-4"
    >
      <span className="block break-words">{title}</span>
      <span className="text-muted block font-mono text-xs break-all">{code}</span>
      {children !== undefined && <span className="mt-1 block [&>span]:whitespace-normal">{children}</span>}
    </th>
  )
}
