export interface Screenshot {
  readonly base64: string;
  readonly mediaType: string;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  /** True if the page extends beyond the image. */
  readonly isCut: boolean;
}

/** Returns the size of the image. */
export function screenshotBytes({ base64 }: Pick<Screenshot, 'base64'>): number {
  return Buffer.byteLength(base64, 'base64');
}
