/** Pictures used by the guide, in both themes. Listed explicitly, so that the build includes no others. */
const addresses = import.meta.glob<string>(
  '../../docs/screenshots/{add-module-search,answer,approval,approvals,commands,command-editor,dashboard,files,keyboard-map,module,module-review,module-settings,modules,palette,question,search,table,table-chart,tool-list,unattended-notices,unattended-review,unattended-routines,unattended-watches}-{light,dark}.png',
  { query: '?url', import: 'default', eager: true },
)

/** URLs of a picture by name (`answer`), or null when there is none. */
export function helpPicture(name: string): { readonly light: string; readonly dark: string } | null {
  const light = addresses[`../../docs/screenshots/${name}-light.png`]
  const dark = addresses[`../../docs/screenshots/${name}-dark.png`]
  return light === undefined || dark === undefined ? null : { light, dark }
}
