import type { PrivateFolder } from './private-folder.ts'

const FILE = 'authority.pem'
/** The certificate alone, for operators to copy to other machines. */
const PUBLIC_FILE = 'Service-Local-CA.cer'

/** Where processes on one database keep their authority together. `app` fills it. */
export interface SharedAuthority {
  /** Key and certificate in PEM; null if there is none. */
  read(): Promise<string | null>
  /** Keeps `pem` provided that `instead` is what is kept now: of several processes, one does it. */
  put(pem: string, instead: string | null): Promise<void>
}

/** Where an authority is kept: key and certificate in PEM. */
export interface AuthorityPlace {
  /** For messages: what is kept there. */
  readonly what: string
  read(): Promise<string | null>
  /** Keeps another one instead of `over`, which has ended on `day`. However many do it at once, all then read the same. */
  put(pem: string, over: { readonly pem: string; readonly day: string } | null): Promise<void>
  /** Leaves the certificate alone where operators find it. */
  publish(der: Uint8Array): Promise<void>
}

/** In the data folder. */
export function folderPlace(folder: PrivateFolder): AuthorityPlace {
  return {
    what: `The file ${folder.path(FILE)}`,
    read: () => folder.read(FILE),
    async put(pem, over) {
      if (over !== null) await folder.rename(FILE, `authority-until-${over.day}.pem`)
      await folder.create(FILE, pem)
    },
    publish: (der) => folder.write(PUBLIC_FILE, der),
  }
}

/**
 * In the database, for all its processes. The one that the first of them has in its data folder is taken over, so that
 * nobody has to import another one after an upgrade.
 */
export function sharedPlace(shared: SharedAuthority, folder: PrivateFolder): AuthorityPlace {
  return {
    what: 'The local CA in the database',
    async read() {
      const kept = await shared.read()
      const own = kept === null ? await folder.read(FILE) : null
      if (own === null) return kept
      await shared.put(own, null)
      return shared.read()
    },
    put: (pem, over) => shared.put(pem, over?.pem ?? null),
    publish: (der) => folder.write(PUBLIC_FILE, der),
  }
}
