// .npz files: ZIP archives of .npy arrays, as NumPy writes them.
"use strict";
const fs = require("fs");
const zlib = require("zlib");

const DTYPES = {fp16: "<f2", fp32: "<f4", int8: "|i1", uint8: "|u1", int16: "<i2", uint16: "<u2", int32: "<i4",
                bool: "|b1"};

// The data of each member of the archive, under its name.
function members(archive) {
  let end = archive.length - 22;
  while (archive.readUInt32LE(end) !== 0x06054b50) --end;
  let at = archive.readUInt32LE(end + 16);
  const found = {};
  for (let i = archive.readUInt16LE(end + 10); i > 0; --i) {
    const size = archive.readUInt32LE(at + 20);
    const nameLength = archive.readUInt16LE(at + 28);
    const local = archive.readUInt32LE(at + 42);
    const begin = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
    const data = archive.subarray(begin, begin + size);
    const name = archive.toString("utf8", at + 46, at + 46 + nameLength);
    found[name] = archive.readUInt16LE(at + 10) === 8 ? zlib.inflateRawSync(data) : data;
    at += 46 + nameLength + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32);
  }
  return found;
}

// {name: Buffer} of the arrays' elements; shapes and types are those of the graph.
function read(path) {
  const arrays = {};
  for (const [name, data] of Object.entries(members(fs.readFileSync(path)))) {
    const wide = data[6] >= 2;
    const length = wide ? data.readUInt32LE(8) : data.readUInt16LE(8);
    arrays[name.replace(/\.npy$/, "")] = data.subarray((wide ? 12 : 10) + length);
  }
  return arrays;
}

function npy({dtype, shape, bytes}) {
  const list = shape.length === 1 ? `${shape[0]},` : shape.join(", ");
  const text = `{'descr': '${DTYPES[dtype]}', 'fortran_order': False, 'shape': (${list}), }`;
  const header = text.padEnd(Math.ceil((text.length + 11) / 64) * 64 - 11) + "\n";
  const start = Buffer.from([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, 0, 0]);
  start.writeUInt16LE(header.length, 8);
  return Buffer.concat([start, Buffer.from(header, "latin1"), bytes]);
}

// `arrays`: [{name, dtype, shape, bytes}].
function write(path, arrays) {
  const parts = [];
  const central = [];
  let offset = 0;
  for (const array of arrays) {
    const name = Buffer.from(array.name + ".npy");
    const data = npy(array);
    const fields = Buffer.alloc(26);  // from the version on, as both headers hold them
    fields.writeUInt16LE(20, 0);
    fields.writeUInt32LE(zlib.crc32(data), 10);
    fields.writeUInt32LE(data.length, 14);
    fields.writeUInt32LE(data.length, 18);
    fields.writeUInt16LE(name.length, 22);
    parts.push(Buffer.from("PK\x03\x04"), fields, name, data);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    central.push(Buffer.from("PK\x01\x02\x14\x00"), fields, place, name);
    offset += 30 + name.length + data.length;
  }
  const list = Buffer.concat(central);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt16LE(arrays.length, 8);
  end.writeUInt16LE(arrays.length, 10);
  end.writeUInt32LE(list.length, 12);
  end.writeUInt32LE(offset, 16);
  fs.writeFileSync(path, Buffer.concat([...parts, list, end]));
}

module.exports = {read, write};
