/**
 * A function for the programs that decode pictures: it returns an image turned upright from an orientation of 1 to 8
 * (Exif 2.32, 4.6.4 A). Bun turns before it mirrors, in whatever order it is told, and it reads no orientation but that
 * of a JPEG.
 */
export const TURN_PROGRAM = `
const turned = (image, orientation) => {
  const degrees = [0, 0, 0, 180, 0, 90, 90, 270, 270][orientation];
  const upright = degrees === 0 ? image : image.rotate(degrees);
  if (orientation === 4) return upright.flip();
  return [2, 5, 7].includes(orientation) ? upright.flop() : upright;
};
`;
