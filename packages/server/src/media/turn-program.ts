/**
 * A function for the programs that decode pictures: it returns an image turned upright from an orientation of 1 to 8
 * (Exif 2.32, 4.6.4 A). Bun always turns a picture before it mirrors it, whatever order the program asks for, and it reads
 * the orientation of JPEG files only.
 */
export const TURN_PROGRAM = `
const turned = (image, orientation) => {
  const degrees = [0, 0, 0, 180, 0, 90, 90, 270, 270][orientation];
  const upright = degrees === 0 ? image : image.rotate(degrees);
  if (orientation === 4) return upright.flip();
  return [2, 5, 7].includes(orientation) ? upright.flop() : upright;
};
`;
