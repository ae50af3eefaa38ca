// Text as bytes and back, for tests that read better with letters.

export function bytes(content: string): Uint8Array { return new TextEncoder().encode(content) }

export function text(content: Uint8Array): string { return new TextDecoder().decode(content) }
