//! A small reader of npz archives with planted bugs, each in a function whose name begins with
//! `bug_`. Stored members only; overflow is checked, as in debug builds.
mod anecheck_fuzz;

fn u16_at(data: &[u8], at: usize) -> Option<usize> {
    Some(u16::from_le_bytes(data.get(at..at + 2)?.try_into().ok()?) as usize)
}

fn u32_at(data: &[u8], at: usize) -> Option<usize> {
    Some(u32::from_le_bytes(data.get(at..at + 4)?.try_into().ok()?) as usize)
}

/// The length of the name is not checked.
#[inline(never)]
fn bug_name_beyond_the_file(data: &[u8], at: usize, length: usize) -> &[u8] {
    &data[at..at + length]
}

/// A name need not be UTF-8.
#[inline(never)]
fn bug_name_is_no_text(name: &[u8]) -> String {
    String::from_utf8(name.to_vec()).unwrap()
}

/// The local header may lie anywhere.
#[inline(never)]
fn bug_header_beyond_the_file(data: &[u8], at: usize) -> u8 {
    data[at]
}

/// The data may be smaller than the header that they begin with.
#[inline(never)]
fn bug_size_below_the_header(size: usize, header: usize) -> usize {
    size - header
}

/// Elements are multiplied in 32 bits.
#[inline(never)]
fn bug_product_of_the_shape(shape: &[u32]) -> u32 {
    shape.iter().product()
}

/// A shape without a closing bracket is read to the end and one further.
#[inline(never)]
fn bug_shape_without_end(header: &[u8], mut at: usize) -> usize {
    while header[at] != b')' {
        at += 1;
    }
    at
}

fn read_array(data: &[u8], size: usize) -> Option<()> {
    if data.len() < 10 || &data[..6] != b"\x93NUMPY" {
        return None;
    }
    let length = u16_at(data, 8)?;
    bug_size_below_the_header(size, 10 + length);
    let header = data.get(10..10 + length)?;
    let text = String::from_utf8_lossy(header).to_string();
    let key = text.find("'shape': (")? + 10;
    let end = bug_shape_without_end(header, key.min(header.len().saturating_sub(1)));
    let numbers = text.get(key..end)?;
    let shape: Vec<u32> = numbers.split(',').filter_map(|word| word.trim().parse().ok()).collect();
    bug_product_of_the_shape(&shape);
    Some(())
}

fn read_archive(data: &[u8]) -> Option<()> {
    let end = data.windows(4).rposition(|window| window == b"PK\x05\x06")?;
    let entries = u16_at(data, end + 10)?;
    let mut at = u32_at(data, end + 16)?;
    for _ in 0..entries {
        if data.get(at..at + 4)? != b"PK\x01\x02" {
            return None;
        }
        let name_length = u16_at(data, at + 28)?;
        let name = bug_name_is_no_text(bug_name_beyond_the_file(data, at + 46, name_length));
        let local = u32_at(data, at + 42)?;
        bug_header_beyond_the_file(data, local);
        let size = u32_at(data, at + 24)?;
        let start = local + 30 + u16_at(data, local + 26)? + u16_at(data, local + 28)?;
        if name.ends_with(".npy") && u16_at(data, at + 10)? == 0 {
            read_array(data.get(start..)?, size)?;
        }
        at += 46 + name_length + u16_at(data, at + 30)? + u16_at(data, at + 32)?;
    }
    Some(())
}

fn main() {
    anecheck_fuzz::main(|data| read_archive(data).is_some());
}
