def text(record, point_of_view): return ""
def drawing(record, point_of_view): return ""
