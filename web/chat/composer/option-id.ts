/** Id of an option of the list of tools, for aria-activedescendant of the message box. */
export function optionId(listId: string, index: number): string {
  return `${listId}-${index}`
}
