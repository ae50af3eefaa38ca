// `host:port` as configurations and peers write it: a name, an IPv4 address, or an IPv6 address in brackets.

export interface HostPort { readonly host: string; readonly port: number }

/** Undefined for anything else. `host` keeps its brackets. */
export function parseAddress(address: string): HostPort | undefined {
  const match = /^([^:[\]\s/]+|\[[0-9a-f:.]+\]):(\d{1,5})$/i.exec(address)
  const port = Number(match?.[2])
  return match === null || port > 65_535 ? undefined : { host: match[1]!, port }
}
