import type { RefObject } from 'react'

interface HiddenFileInputProps {
  /** Its `click()` opens the system's file dialog. */
  readonly ref: RefObject<HTMLInputElement | null>
  readonly label: string
  /** As of the element: extensions and media types. */
  readonly accept: string
  onFile(file: File): void
}

/** Takes one file from the system's file dialog; the same file can be taken again right after. */
export function HiddenFileInput({ ref, label, accept, onFile }: HiddenFileInputProps) {
  return (
    <input
      ref={ref}
      type="file"
      accept={accept}
      hidden
      aria-label={label}
      onChange={(event) => {
        const chosen = event.target.files?.[0]
        event.target.value = ''
        if (chosen) onFile(chosen)
      }}
    />
  )
}
